// The page. It shows what the desk sends and sends what is pressed and typed; what that
// means is known to the desk alone.

import {admitted, enter, headers, returned, sentence} from './enter.js'

const main = document.querySelector('main')
const said = document.getElementById('said')
const coarse = matchMedia('(pointer: coarse)')

let page = '' // the desk's name for this page
let me = '' // and for all that it was while it was open
let seq = 0 // of what was sent last
let typing = 0 // of what was typed last; an entry is not filled by a view of before
let view = {n: 0, key: ''} // on view
let fresh = false // the next view is the first of its stream
let skew = 0 // between the desk's clock and ours
let held = {until: 0, pause: 0} // what is pressed does not count until then

const say = (words) => { said.textContent = words }
const params = () => new URLSearchParams(location.hash.slice(1))

// --- What the desk sends ---

let attempt = 0
let abort = new AbortController()
let again = () => {} // ends the wait before the next attempt

function address() {
  const hash = params()
  const q = new URLSearchParams({was: page, me, columns: innerWidth >= 1024 ? 80 : Math.floor((innerWidth - 48) / 8.4)})
  if (hash.has('q')) {
    q.set('at', 'question')
    q.set('id', hash.get('q'))
  } else {
    q.set('at', hash.has('h') ? 'history' : 'inbox')
    q.set('search', hash.get('h') ?? hash.get('i') ?? '')
    q.set('rows', hash.get('n') ?? '')
  }
  return '/api/events?' + q
}

// listen shows what the desk sends for this address, and connects again whenever the
// connection is lost.
async function listen() {
  const mine = ++attempt
  await sent // what was typed belongs to the view before
  abort.abort()
  abort = new AbortController()
  for (let wait = 250; mine === attempt; wait = Math.min(2 * wait, 10000)) {
    try {
      await enter()
      const answer = await fetch(address(), {headers: headers(), signal: abort.signal, cache: 'no-store'})
      if (answer.status === 410 && await returned(say, () => mine === attempt)) continue
      if ([401, 403, 410].includes(answer.status)) return mine === attempt && say(await sentence(answer))
      if (answer.ok) {
        admitted(answer)
        for await (const [name, data] of events(answer.body)) {
          if (mine !== attempt) return
          wait = 250
          if (name === 'hello') hello(data)
          if (name === 'view') show(data)
        }
      }
    } catch (e) {
      if (e.refused) return say(e.message)
    }
    if (mine !== attempt) return
    say('The connection to the desk is lost; it is tried again. What you type is kept.')
    await new Promise((resolve) => {
      again = resolve
      if (!resting()) setTimeout(resolve, wait)
    })
  }
}

// events are those of a text/event-stream.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; ;) {
    const {value, done} = await reader.read()
    if (done) return
    text += value
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
      if (name) yield [name, JSON.parse(data)]
    }
  }
}

function hello(h) {
  page = h.page
  me ||= page
  skew = h.now - Date.now()
  typing = 0
  fresh = true
  document.getElementById('updated').hidden = h.digest === document.documentElement.dataset.digest
}

function show(v) {
  const fragment = document.createRange().createContextualFragment(v.html)
  const entry = fresh && v.key === view.key && [...main.querySelectorAll('[data-again]')].find((e) => e.typed)
  morph(main, fragment)
  document.title = v.title
  if (v.key && v.key !== view.key) held = {until: Date.now() + (v.guard ?? 0), pause: v.guard ?? 0}
  view = v
  if (v.field && v.seq >= typing) fill(v.field)
  if (fresh) say('')
  fresh = false
  if (entry && !entry.isConnected && main.querySelector('#form:not(.frozen)')) { // the desk is elsewhere in the form, and may not have what was typed
    waiting.push({seen: v.n, events: [...JSON.parse(entry.dataset.again), {do: 'type', text: entry.value, n: 0}]})
    pump()
  }
  const focus = v.focus && document.getElementById(v.focus)
  focus?.focus()
  if (focus?.inputMode === 'decimal') focus.select() // a number is typed anew
  tick()
}

// fill gives the entry its text, but never over what was typed here and is not sent.
function fill({id, rev, value}) {
  const entry = document.getElementById(id)
  if (!entry || entry.rev === rev && !fresh) return
  if (fresh && entry.typed) { // the stream was lost meanwhile
    entry.rev = 0
    return typed(entry)
  }
  if (unsent === entry) return
  entry.rev = rev
  if (entry.value !== value) entry.value = value
}

// morph makes the children of one node those of another, and keeps what is the same:
// the focus, the selection and what is typed stay.
function morph(from, to) {
  const byID = new Map([...from.children].filter((c) => c.id).map((c) => [c.id, c]))
  let at = from.firstChild
  for (const node of [...to.childNodes]) {
    const old = node.id ? byID.get(node.id) : at && !at.id && at.nodeName === node.nodeName ? at : null
    if (old?.nodeName !== node.nodeName) {
      from.insertBefore(node, at)
      continue
    }
    if (old === at) at = at.nextSibling
    else from.insertBefore(old, at)
    patch(old, node)
  }
  while (at) {
    const next = at.nextSibling
    at.remove()
    at = next
  }
}

function patch(old, node) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue
    return
  }
  for (const {name} of [...old.attributes]) if (!node.hasAttribute(name) && name !== 'open') old.removeAttribute(name)
  for (const {name, value} of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  if (!old.dataset.clock && old.nodeName !== 'TEXTAREA') morph(old, node)
}

// --- What the person does ---

let waiting = [] // events that are still to be sent, with the view that they are about
let unsent = null // the entry with text that is not sent
let sent = Promise.resolve() // when all of it is
let sending = false

function typed(entry) {
  entry.typed = true
  unsent = entry
  pump()
}

// taken is what was typed and is not sent, as events.
function taken() {
  const entry = unsent
  unsent = null
  return entry?.isConnected ? [...JSON.parse(entry.dataset.type || '[]'), {do: 'type', text: entry.value, n: entry.rev}] : []
}

function send(events) {
  if (fresh) return // it was on a page that the desk does not know any more
  waiting.push({seen: view.n, events: [...taken(), ...events]})
  pump()
}

function pump() {
  if (sending) return
  sending = true
  sent = (async () => {
    while (waiting.length || unsent) {
      const {seen, events} = waiting.shift() ?? {seen: view.n, events: taken()}
      if (events.length) seq++
      if (events.some((e) => e.do === 'type')) typing = seq
      if (events.length && !(await post({page, seq, seen, events}))) break
    }
    sending = false
  })()
}

// post sends what was done, and reports whether the desk could be reached.
async function post(what) {
  try {
    const answer = await fetch('/api/do', {method: 'POST', headers: headers(), body: JSON.stringify(what)})
    if (answer.ok) {
      say('')
      return true
    }
    say(await sentence(answer))
    if (answer.status !== 410) return true
    listen()
  } catch {
    say('The desk could not be reached; what you type is kept, what you pressed was not sent.')
  }
  waiting = []
  unsent = null // it is sent again with the next stream
  return false
}

// early reports whether what is on view has only just come there: what is done then
// was meant for something else.
function early(e) {
  if (Date.now() >= held.until || !view.key) return false
  held.until = Date.now() + held.pause
  e.preventDefault()
  say('Held back: the question has only just come up.')
  return true
}

document.addEventListener('click', (e) => {
  if (e.target.id === 'reload') return sent.then(() => location.reload())
  const button = e.target.closest('[data-do]')
  if (button && !early(e) && e.detail < 2) send(JSON.parse(button.dataset.do))
})

document.addEventListener('input', (e) => {
  if ('type' in e.target.dataset) typed(e.target)
})

document.addEventListener('submit', (e) => {
  e.preventDefault()
  const search = e.target.closest('[data-search]')
  if (search) location.hash = `${search.dataset.search}=${encodeURIComponent(search.querySelector('input').value)}`
})

// looked has the desk show what belongs to a choice.
let last = ''
function looked(target) {
  const look = target.closest?.('[data-look]')
  const about = look && view.key + look.id
  if (!look || look.closest(':disabled') || about === last) return
  last = about
  send(JSON.parse(look.dataset.look))
}
document.addEventListener('focusin', (e) => looked(e.target))
document.addEventListener('pointerover', (e) => e.pointerType === 'mouse' && looked(e.target))

// press does what a key stands for on view.
function press(key, e) {
  const button = [...main.querySelectorAll('[data-key]')].find((b) => b.dataset.key.split(' ').includes(key) && !b.closest(':disabled'))
  if (!button) return
  e.preventDefault()
  if ('type' in button.dataset) button.focus()
  else send(JSON.parse(button.dataset.do))
}

document.addEventListener('keydown', (e) => {
  const modified = e.ctrlKey || e.metaKey || e.altKey
  if (e.isComposing || e.repeat && e.key === 'Enter' || ['Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(e.key)) return
  if (!modified && e.target.closest('main, body') && early(e)) return
  const entry = e.target.closest('input, textarea')
  if (!entry) {
    if (modified) return
    if (e.key.startsWith('Arrow')) return arrow(e)
    return press(e.key, e)
  }
  const breaks = entry.nodeName === 'TEXTAREA' && (e.shiftKey || coarse.matches) && !modified
  if (e.key === 'Enter' && entry.dataset.enter && !breaks) {
    e.preventDefault()
    entry.typed = false
    send(JSON.parse(entry.dataset.enter))
  } else if (e.key === 'Escape') press('Escape', e)
})

// arrow goes to the choice before or after.
function arrow(e) {
  const step = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1}[e.key]
  const all = [...main.querySelectorAll('.choices button:enabled, .rows a, .review button')]
  const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + step))]
  if (!next || e.target.closest('pre')) return
  e.preventDefault()
  next.focus()
}

// --- Clocks, which cost the desk nothing ---

let clock = 0

function tick() {
  clearTimeout(clock)
  const all = [...main.querySelectorAll('[data-clock]')]
  const now = Date.now() + skew
  for (const time of all) {
    const at = Date.parse(time.dateTime)
    const left = time.dataset.clock === 'left'
    const s = Math.max(0, Math.floor((left ? at - now : now - at) / 1000))
    const words = {left: () => elapsed(s) + ' left', since: () => elapsed(s), age: () => age(s), ago: () => age(s) + ' ago'}[time.dataset.clock]()
    if (time.textContent !== words) time.textContent = words
    time.className = !left ? '' : s < 10 ? 'danger' : s < 60 ? 'warn' : ''
  }
  if (all.length && !document.hidden) clock = setTimeout(tick, 1000 - now % 1000)
}

const two = (n) => String(n).padStart(2, '0')

// elapsed and age are written as in the popup and in the inbox.
const elapsed = (s) => s < 60 ? `${s}s` : s < 3600 ? `${Math.floor(s / 60)}m ${two(s % 60)}s` : `${Math.floor(s / 3600)}h ${two(Math.floor(s / 60) % 60)}m`
const age = (s) => s < 60 ? `${s}s` : s < 3600 ? `${Math.floor(s / 60)}m` : s < 86400 ? `${Math.floor(s / 3600)}h` : `${Math.floor(s / 86400)}d`

// A browser has six connections to the desk for all its tabs: a question that nobody
// looks at, and a page that was left, give theirs back.
const resting = () => document.hidden && params().has('q')

document.addEventListener('visibilitychange', () => {
  tick()
  if (!document.hidden) again()
  else setTimeout(() => { if (resting()) abort.abort() }, 10000)
})
addEventListener('pagehide', () => {
  attempt++
  abort.abort()
})
addEventListener('pageshow', (e) => e.persisted && listen())
addEventListener('online', () => again())
addEventListener('hashchange', listen)
listen()
