// The page. It shows what the desk sends and sends what is pressed and typed; what that
// means is known to the desk alone.

import {attaches} from './attach.js'
import {admitted, enter, headers, returned, sentence, tab} from './enter.js'

const main = document.querySelector('main')
const said = document.getElementById('said')
const coarse = matchMedia('(pointer: coarse)')

let page = '' // the desk's name for this page
let me = '' // and for all that it was while it was open
let seq = 0 // of what was sent last
let typing = 0 // of what was typed last; an entry is not filled by a view of before
let view = {n: 0, key: ''} // on view
let fresh = false // the next view is the first of its stream
let right = false // that is how things stand; where it may not be, nothing that is pressed is sent
let old = false // this page is of another askpane than the desk
let skew = 0 // between the desk's clock and ours
let held = 0 // the time at which the question came, or a press was held back since
let met = !document.hidden // somebody has looked at this page
let dropped = false // something that was pressed may not have arrived
let prior = '' // the address before, until something is on view for this one

const say = (words) => { said.textContent = words }
const params = () => new URLSearchParams(location.hash.slice(1))
const searched = (hash) => hash.get('h') ?? hash.get('i') ?? ''

// --- What the desk sends ---

const patience = 2500 // milliseconds that the desk has to answer

let attempt = 0
let stream = new AbortController() // ends all that is on its way from the desk and to it
let heard = 0 // the time at which the stream last brought something
let doubt = null // ends the limit within which it has to; null where it has
let again = () => {} // ends the wait before the next attempt

// limit counts the desk as lost where it does not answer in time, and later on gives up what
// is on its way. The function that it returns ends that.
function limit(more = 0, later = 2 * patience) {
  const mine = stream
  let timer = setTimeout(() => {
    lose()
    timer = setTimeout(() => mine.abort(), later)
  }, patience + more)
  return () => clearTimeout(timer)
}

// lose says that what is on view may not be so any more, and regain that it is.
function lose() {
  right = false
  document.body.classList.add('lost')
  say(resting() ? 'This page was in the background; it is brought up to date.'
    : 'The connection to the desk is lost; it is tried again. What you type is kept.' + (dropped ? ' What you pressed last may not have arrived.' : ''))
}

function regain() {
  if (right) return
  right = true
  document.body.classList.remove('lost')
  say(dropped ? 'The connection is back. See whether what you pressed last was taken.' : '')
  pump()
}

// check asks whether the stream still reaches this page, unless it has just done so.
function check() {
  const mine = stream
  if (document.hidden || doubt || right && Math.abs(Date.now() - heard) < 3000) return
  doubt = limit()
  fetch('/api/do', {method: 'POST', headers: headers(), body: JSON.stringify({page}), signal: mine.signal}).then((answer) => answer.ok || mine.abort(), () => mine.abort())
}

function address() {
  const hash = params()
  claims(!hash.has('q') && !hash.has('h'))
  const q = new URLSearchParams({was: page, me, columns: innerWidth >= 1024 ? 80 : Math.floor((innerWidth - 48) / 8.4)})
  if (hash.has('q')) {
    q.set('at', 'question')
    q.set('id', hash.get('q'))
  } else {
    q.set('at', hash.has('h') ? 'history' : 'inbox')
    q.set('search', searched(hash))
    q.set('rows', hash.get('n') ?? '')
  }
  return '/api/events?' + q
}

// listen shows what the desk sends for this address, and connects again whenever the
// connection is lost.
async function listen() {
  const mine = ++attempt
  right = false
  await sent // what was typed belongs to the view before
  stream.abort()
  doubt?.()
  for (let wait = 250; mine === attempt; wait = Math.min(2 * wait, 10000)) {
    stream = new AbortController()
    try {
      await enter()
      doubt = limit(0, Math.max(2 * patience, 2 * wait))
      const answer = await fetch(address(), {headers: headers(), signal: stream.signal, cache: 'no-store'})
      if (!answer.ok) doubt()
      if (answer.status === 410 && await returned(main.childElementCount ? say : refused, () => mine === attempt)) continue
      if ([401, 403, 410].includes(answer.status)) return mine === attempt && refused(await sentence(answer))
      if (answer.ok) {
        admitted(answer)
        for await (const [name, data] of events(answer.body)) {
          if (mine !== attempt) return
          wait = 250
          heard = Date.now()
          doubt?.()
          doubt = null
          if (name === 'hello') hello(data)
          if (name === 'here') regain()
          if (name !== 'view') continue
          show(data)
          if (!met) rest(0)
        }
      }
    } catch (e) {
      if (e.refused) return mine === attempt && refused(e.message)
    }
    if (mine !== attempt) return
    doubt?.()
    stream.abort()
    lose()
    await new Promise((resolve) => {
      again = resolve
      if (!resting()) setTimeout(resolve, wait)
    })
  }
}

// refused says why the desk does not let this page in, which then shows nothing else.
function refused(words) {
  const heading = document.createElement('h1')
  heading.textContent = words
  main.replaceChildren(heading)
  document.title = 'askpane'
  view = {n: 0, key: ''}
  doubt ??= () => {} // nothing is tried again, and so nothing is asked
  say('')
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
  old = h.digest !== document.documentElement.dataset.digest
}

// renew loads this page anew, once for each askpane that it is told of.
function renew() {
  const {digest} = document.documentElement.dataset
  if (!right) return
  if (unsaved()) return say('askpane was updated, and what stands here could not be saved: copy it, and load this page again.')
  if (tab.renewed === digest) return say('This page is of another askpane than the desk, and nothing is sent from it: close it, and open a new one by askpane page.')
  tab.renewed = digest
  location.reload()
}

function show(v) {
  const fragment = document.createRange().createContextualFragment(v.html)
  const back = fresh && v.key === view.key // the stream before was lost
  const stays = back && !dropped && document.getElementById(v.focus) // and the desk is where it was in the form
  const entry = back && [...main.querySelectorAll('[data-again]')].find((e) => e.typed)
  const on = !back && [...main.querySelectorAll('[data-type]')].find((e) => e.typed && e.value !== e.posted)
  const asked = () => main.querySelector('#asked')?.textContent
  const [before, y, had, stops] = [asked(), scrollY, document.activeElement, [...main.querySelectorAll('a, button, input, textarea, summary')]]
  morph(main, fragment)
  document.title = v.title
  if (v.key && (v.key !== view.key || back && !stays)) held = Date.now()
  view = v
  const gone = on && !on.isConnected
  if (gone) unsent = false // it is nothing of what is on view now
  const anew = v.field && document.getElementById(v.field.id)?.rev === undefined
  if (v.field && (v.seq >= typing || anew)) fill(v.field) // before anything is sent of what was typed meanwhile
  regain()
  fresh = false
  if (entry && !entry.isConnected && main.querySelector('#form:not(.frozen)')) { // the desk is elsewhere in the form, and may not have what was typed
    waiting.push({seen: v.n, events: [...JSON.parse(entry.dataset.again), {do: 'type', text: entry.value, n: 0}]})
    pump()
  }
  if (gone) say('Not taken: what you typed last was for a question that is no longer on view.')
  const focus = stays ? null : document.getElementById(v.focus)
  const turned = asked() !== before // then it is read from its beginning
  fold(turned)
  focus?.focus({preventScroll: turned})
  if (turned) scrollTo(0, 0)
  if (!v.key) document.getElementById(prior)?.querySelector('a')?.focus() // the row of what was looked at
  prior = ''
  if (focus?.inputMode === 'decimal') focus.select() // a number is typed anew
  const [at, left] = [stops.indexOf(had), (e) => e.isConnected && (e.checkVisibility?.() ?? true) && !e.closest(':disabled')]
  if (!focus && at >= 0 && !had.isConnected) (stops.slice(at).find(left) ?? stops.slice(0, at).findLast(left))?.focus({preventScroll: true}) // what was pressed is gone
  tick()
  settle(scrollY !== y)
  if (old) sent.then(renew)
}

// fold breaks each row of a table in what is asked that is wider than its place.
function fold(anew) {
  for (const e of main.querySelectorAll(':is(.asked, .document) .table')) {
    if (anew) delete e.dataset.folded
    if (e.scrollWidth > e.clientWidth) e.dataset.folded = ''
  }
}
addEventListener('resize', fold)

// settle notes what has only just come where it is, or means something else now. Whoever
// presses that meant what was there before.
function settle(all) {
  for (const e of main.querySelectorAll('[data-do], #form a')) {
    const {x, y} = e.getBoundingClientRect()
    const at = {x: x + scrollX, y: y + scrollY, does: e.dataset.do ?? e.href}
    if (all !== true && e.at?.does === at.does && Math.hypot(at.x - e.at.x, at.y - e.at.y) < 4) continue
    e.at = at
    e.moved = Date.now()
  }
}
new ResizeObserver(settle).observe(main)

// fill gives the entry its text, but never over what was typed here and is not sent.
function fill({id, rev, value}) {
  const entry = document.getElementById(id)
  if (!entry || entry.rev === rev && !fresh) return
  if (fresh && entry.typed) { // the stream was lost meanwhile
    entry.rev = 0
    return typed(entry)
  }
  if (unsent || entry.refused) return
  entry.rev = rev
  entry.sent = entry.posted = value
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
  for (const {name} of [...old.attributes]) if (!node.hasAttribute(name) && !['open', 'data-folded'].includes(name)) old.removeAttribute(name)
  for (const {name, value} of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  if (!old.dataset.clock && old.nodeName !== 'TEXTAREA') morph(old, node)
}

// --- What the person does ---

let waiting = [] // events that are still to be sent, with the view that they are about
let unsent = false // something was typed since
let sent = Promise.resolve() // when all of it is
let sending = false
let slow // says after a while that something that was pressed is on its way

function typed(entry) {
  entry.typed = true
  unsent = true
  pump()
}

// openEntry finds the entry that the desk has open, and unsaved says whether the desk lacks what stands there.
const openEntry = () => document.getElementById(view.field?.id)
const unsaved = () => openEntry()?.typed && openEntry().value !== openEntry().sent

// done puts what stands in the entry before what was done, wherever that takes it or the
// desk does not have it yet.
function done(events) {
  unsent = false
  const entry = openEntry()
  const takes = events.some((e) => e.do === 'accept' || e.do === 'leave')
  const secret = entry?.type === 'password' && !entry.typed // the desk never sends one back
  if (!entry || secret || !takes && entry.value === entry.sent) return {seen: view.n, events}
  return {seen: view.n, entry, text: entry.value, takes, events: [...JSON.parse(entry.dataset.type || '[]'), {do: 'type', text: entry.value, n: entry.rev}, ...events]}
}

function send(events, as = done) {
  if (!right) return say('Not sent: this page is not up to date, since the desk does not answer. It is tried again.')
  if (old) return renew()
  waiting.push({...as(events), words: said.textContent})
  if (events.at(-1).do !== 'look') slow ??= setTimeout(() => right && say('Sending…'), 700)
  pump()
}

attaches((part) => send(part, (events) => ({seen: view.n, events})), say)

function pump() {
  if (sending || !right) return
  sending = true
  sent = (async () => {
    while (waiting.length || unsent) {
      const {seen, events, ...typed} = waiting.shift() ?? done([])
      if (!events.length) continue
      seq++
      if (events.some((e) => e.do === 'type')) typing = seq
      if (!(await post({page, seq, seen, events}, typed))) break
    }
    clearTimeout(slow)
    slow = null
    sending = false
  })()
}

// post sends what was done, and reports whether the desk has had its say. If not, the stream
// counts as lost as well, and what was typed is sent again with the next one.
async function post(what, {entry, text, takes, words}) {
  const [body, mine] = [JSON.stringify(what), stream]
  if (entry) {
    entry.posted = text
    entry.sent = null // the desk may have it, and says whether it does
  }
  const pressed = !['type', 'look'].includes(what.events.at(-1).do)
  const over = limit(body.length / 50) // as a slow network needs
  try {
    const answer = await fetch('/api/do', {method: 'POST', headers: headers(), body, signal: mine.signal})
    if (answer.ok) {
      if (entry) entry.refused = false
      if (entry && entry.value === text) [entry.sent, entry.typed] = [text, entry.typed && !takes]
      if (pressed || !dropped) {
        dropped = false
        if (said.textContent === words || said.textContent === 'Sending…' && !waiting.length) say('') // else it is of what happened since
      }
      if (!right) check()
      return true
    }
    if (answer.status < 500 && answer.status !== 410) {
      if (entry) entry.refused = true
      say(await sentence(answer))
      return true
    }
  } catch { /* as below */ } finally {
    over()
  }
  dropped ||= pressed || waiting.some(({events}) => events.at(-1).do !== 'look')
  waiting = []
  unsent = false
  lose()
  mine.abort()
  return false
}

// early reports whether the question on view, or the button that was pressed there, has
// only just come: what is done then was meant for something else.
function early(e, button) {
  const [now, pause] = [Date.now(), view.key ? view.guard ?? 0 : 400] // on a list, where the setting is not known
  const came = view.key && now < held + pause
  if (!came && !(now < button?.moved + pause)) return false
  if (came) held = now
  else button.moved = now
  e.preventDefault()
  say(`Held back: ${came ? 'the question has only just come up' : 'this has only just come here'}.`)
  return true
}

document.addEventListener('click', (e) => {
  const button = e.target.closest('[data-do], #form a')
  if (button?.nodeName === 'DIV' && !getSelection().isCollapsed) return // a part of a document, of which text was selected
  if (!button || early(e, e.detail ? button : null) || !button.dataset.do || !e.detail && unseen(button)) return // no detail: by a key, wherever it is
  if (e.detail < 2 || button.matches('.nudge')) send(JSON.parse(button.dataset.do)) // a second press at once was meant as one, but where it counts
})

// What this tab keeps for the session is copied to a tab that a script opens, and to no other: the desk would not know that.
for (const kind of ['click', 'auxclick']) document.addEventListener(kind, (e) => {
  const link = e.target.closest('a[href^="#"]')
  if (!link || e.defaultPrevented || !tab.askpane || !(e.button === 1 || e.button === 0 && (e.ctrlKey || e.metaKey || e.shiftKey))) return
  e.preventDefault()
  open(link.href)
})

// A preview in a frame may not lead anywhere: whatever comes second there is the browser's
// word for that, and the preview is shown again.
document.addEventListener('load', ({target: frame}) => {
  if (frame.nodeName !== 'IFRAME' || frame.loads > 40) return
  frame.loads = (frame.loads ?? 0) + 1
  if (frame.loads % 2 === 0) frame.src = frame.getAttribute('src')
}, true)

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
  if (!right || !look || look.closest(':disabled') || about === last) return
  last = about
  const {events} = waiting.at(-1) ?? {events: []}
  if (events.length === 1 && events[0].do === 'look') waiting.pop() // nobody looks there any more, and on a slow network the next press would wait for it
  send(JSON.parse(look.dataset.look))
}
document.addEventListener('focusin', (e) => looked(e.target))
document.addEventListener('pointerover', (e) => e.pointerType === 'mouse' && looked(e.target))

// unseen brings a choice on view, and where a permission is asked for any button or entry, and reports
// whether it had to: that stands below what it is about, which is looked at first.
function unseen(e) {
  const {bottom} = e.getBoundingClientRect()
  if (!e.matches('.choices button') && !main.querySelector('.subject') || bottom > 0 && bottom < innerHeight + 1) return false
  e.scrollIntoView({block: 'end'})
  say('This has only now come on view: press once more.')
  return true
}

// press does what a key stands for on view.
function press(key, e) {
  const button = [...main.querySelectorAll('[data-key]')].find((b) => b.dataset.key.split(' ').includes(key) && !b.closest(':disabled'))
  if (!button || e.repeat) return
  e.preventDefault()
  if (key !== 'Escape' && unseen(button)) return // that one allows nothing
  if ('type' in button.dataset) button.focus()
  else send(JSON.parse(button.dataset.do))
}

// What ends a composition has in Safari the key code alone that says so.
document.addEventListener('keydown', (e) => {
  const modified = e.ctrlKey || e.metaKey || e.altKey
  if (e.isComposing || e.keyCode === 229 || ['Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(e.key)) return
  const entry = e.target.closest('input, textarea')
  const breaks = entry?.nodeName === 'TEXTAREA' && (e.shiftKey || coarse.matches) && !modified
  if (e.repeat && e.key === 'Enter' && !breaks) return e.preventDefault() // it is held down, and counts once
  if ((!modified || e.key === 'Enter') && e.target.closest('main, body') && early(e)) return
  if (!entry) {
    if (modified) return
    if (e.key.startsWith('Arrow')) return arrow(e)
    return press(e.key, e)
  }
  if (e.key === 'Enter' && entry.dataset.enter && !breaks) {
    e.preventDefault()
    if (!unseen(entry)) send(JSON.parse(entry.dataset.enter))
  } else if (e.key === 'Escape') press('Escape', e)
})

// arrow goes to the choice before or after.
function arrow(e) {
  const step = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1}[e.key]
  const all = [...main.querySelectorAll('.choices button:enabled, .rows a, .review button')]
  const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + step))]
  if (!next || e.target.closest('pre, .table, .diagram')) return // which scroll by it
  e.preventDefault()
  next.focus()
}

// What is said lies at the lower edge of what is on view: over a phone's keyboard, and where somebody has zoomed in.
// Safari shrinks innerHeight then, so all is counted from above.
for (const kind of ['resize', 'scroll']) visualViewport?.addEventListener(kind, ({target: {offsetLeft, offsetTop, width, height}}) => {
  said.style.inset = `${offsetTop + height}px ${document.documentElement.clientWidth - offsetLeft - width}px auto ${offsetLeft}px`
  said.style.translate = '0 -100%'
})

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

// A browser has six connections to the desk for all its tabs: a page that nobody looks at,
// and one that was left, give theirs back. Of the inboxes the first one goes on, since its title
// tells how many wait.
let first = !navigator.locks
let claim = null // to be the first; ended by its abort
const claims = (inbox) => {
  if (inbox === !!claim || !navigator.locks) return
  if (!inbox) {
    claim.abort()
    claim = null
    return
  }
  claim = new AbortController()
  const {signal} = claim
  navigator.locks.request('askpane', {signal}, () => new Promise((resolve) => {
    signal.onabort = () => {
      first = false
      resolve()
    }
    first = true
    again()
  })).catch(() => {}) // it was ended before its turn came
}
const resting = () => document.hidden && (params().has('q') || !first)
const rest = (after) => setTimeout(() => {
  if (!resting()) return
  stream.abort()
  if (!params().has('q')) document.title = 'askpane' // a count would go stale
}, after)

document.addEventListener('visibilitychange', () => {
  tick()
  if (document.hidden) return rest(10000)
  met = true
  again()
  check()
})
addEventListener('pagehide', () => {
  claims(false) // a browser may keep a page that was left, and with it what it has
  attempt++
  stream.abort()
})
addEventListener('pageshow', (e) => e.persisted && listen())
addEventListener('online', () => resting() || again())
// Whoever comes back, moves or presses looks at the page: from then on it has to be right.
for (const kind of ['focus', 'online', 'pointermove', 'pointerdown', 'keydown']) addEventListener(kind, check)
setInterval(check, 10000)
addEventListener('hashchange', async ({oldURL}) => {
  await sent // what fails there says that the desk is away
  if (right || !unsaved()) {
    prior = new URL(oldURL).hash
    for (const search of main.querySelectorAll('[type=search]')) search.value = searched(params()) // what was typed was for the list before
    return listen()
  }
  history.replaceState(null, '', oldURL) // nothing else could be shown
  say('This page stays until the desk is back, since what you have typed is not saved yet.')
})
addEventListener('beforeunload', (e) => unsaved() && e.preventDefault()) // on a slow network the desk may not have it yet
listen()
