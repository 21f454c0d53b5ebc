// Getting in. What an address brings is exchanged for a token, which ends with the desk. One
// that was away proves that it is the same before this page is known to it again: another
// program may have its port meanwhile, and get what is sent there and what the browser keeps.

let key = '' // by which each proves itself; the browser keeps it nowhere

let code = '' // which the person is to type at the machine

// What the browser keeps, for this tab and for this device. Where it may keep nothing, as without
// cookies, the page does until it is left.
export const [tab, device] = ['sessionStorage', 'localStorage'].map((name) => {
  try {
    return window[name] ?? {}
  } catch {
    return {}
  }
})

const token = () => tab.askpane ?? device.askpane ?? ''
const known = () => token().split('.')[0] // as which the desk knows this page
export const headers = () => ({'Authorization': 'Bearer ' + token(), 'Content-Type': 'application/json'})

// sentence is what an answer says is wrong.
export async function sentence(answer) {
  try {
    return (await answer.json()).error
  } catch {
    return `The desk answered ${answer.status}; try again, or ask askpane doctor.`
  }
}

// random is a word of so many letters and digits that nobody guesses.
const random = (n) => [...crypto.getRandomValues(new Uint8Array(n))].map((b) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[b % 32]).join('')
const bytes = (text) => new TextEncoder().encode(text)
const hex = (buffer) => [...new Uint8Array(buffer)].map((b) => b.toString(16).padStart(2, '0')).join('')
const mine = tab.mine ??= random(26) // by which this page may ask again where an answer was lost, after a reload too
const names = [/iPhone|iPad|Android|$/.exec(navigator.userAgent)[0] || navigator.platform, /Firefox|Chrome|Safari|$/.exec(navigator.userAgent)[0]]
const name = names.filter(Boolean).join(', ')

// exchange sends what lets this page in. An error that the desk has given is refused; after
// another it is tried again.
async function exchange(what) {
  const answer = await fetch('/api/enter', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(what), signal: AbortSignal.timeout(5000)})
  if (!answer.ok) throw Object.assign(new Error(await sentence(answer)), {refused: answer.status < 500})
  return answer.json()
}

// proved throws where it is not the desk that answers. A browser cannot tell where there is
// no TLS, unless it is on the desk's own machine.
async function proved(was, by) {
  if (!crypto.subtle) return
  const nonce = random(26)
  const {proof} = await exchange({was, nonce})
  const secret = await crypto.subtle.importKey('raw', bytes(by), {name: 'HMAC', hash: 'SHA-256'}, false, ['sign'])
  if (proof !== hex(await crypto.subtle.sign('HMAC', secret, bytes(nonce)))) throw new Error('another program has the port of the desk')
}

// enter exchanges what the address brings, and takes it off the address as soon as the desk
// has said yes or no: else it is tried again, after a reload too. A page that is known has
// the desk prove itself.
export async function enter() {
  const hash = new URLSearchParams(location.hash.slice(1))
  const [once, pair] = [hash.get('t'), hash.get('p')]
  const link = once ?? pair
  if (!link) return key && proved(known(), key)
  let over = true
  try {
    if (crypto.subtle) {
      const hashed = hex(await crypto.subtle.digest('SHA-256', bytes(link)))
      await proved(hashed.slice(0, 12), hashed)
    }
    const {bearer, question} = await exchange(once ? {token: once, mine, name} : {pair, mine, name})
    ;(pair ? device : tab).askpane = bearer
    if (question) hash.set('q', question)
  } catch (e) {
    over = e.refused
    throw e
  } finally {
    if (over) {
      hash.delete('t')
      hash.delete('p')
      history.replaceState(null, '', '#' + hash)
    }
  }
}

// admitted keeps what the desk sends to a page that it lets in.
export function admitted(answer) {
  key = answer.headers.get('Askpane-Key') ?? ''
}

// returned makes this page known again to a desk that was away, and reports whether it is:
// by the key, or on a paired device by a code that the person types at the machine.
export async function returned(say, still) {
  const was = known()
  const keep = tab.askpane ? tab : device
  if (key && crypto.subtle) { // it has proved itself
    keep.askpane = (await exchange({was, key})).bearer
    return true
  }
  if (keep === tab) return false
  code ||= random(10)
  const before = token()
  say(`The desk was away since this device was here. To let it in again, run on the machine: askpane phone confirm ${code}`)
  while (still() && token() === before) {
    await new Promise((resolve) => setTimeout(resolve, 2000))
    try {
      keep.askpane = (await exchange({pair: code, was, name})).bearer
      code = ''
    } catch { /* not yet */ }
  }
  return token() !== before
}
