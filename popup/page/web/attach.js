// Pictures that go with the answer: chosen, taken with a camera, pasted, or dropped on the page. Each
// is sent in parts, as events like any other, since the desk takes no large request.

const types = {'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/gif': 'GIF', 'image/webp': 'WebP'}
const most = 5 * 2 ** 20 // bytes of one, as the desk has it
const part = 3 * 2 ** 17 // bytes that are sent at once

const base64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''))

// attaches has pictures sent by send, and says by say why one is not.
export function attaches(send, say) {
  const taken = () => document.getElementById('attach')
  const take = async (files) => {
    for (const file of files) {
      const name = file.name || 'What you have pasted'
      if (!types[file.type]) say(`${name} is not attached: it is ${file.type || 'of no known format'}; ${Object.values(types).join(', ')} are taken.`)
      else if (file.size > most) say(`${name} is not attached: it has more than 5 MB.`)
      else {
        const bytes = new Uint8Array(await file.arrayBuffer())
        for (let at = 0; at < bytes.length; at += part) {
          const sent = bytes.subarray(at, at + part)
          send([{do: 'attach', text: base64(sent), n: bytes.length - at - sent.length}])
        }
      }
    }
  }
  document.addEventListener('change', async (e) => {
    if (!e.target.closest('#attach')) return
    await take([...e.target.files])
    e.target.value = '' // so that the same one can be chosen again
  })
  document.addEventListener('paste', (e) => {
    const files = [...e.clipboardData.files]
    if (!taken() || !files.length || e.clipboardData.types.includes('text/plain')) return // a spreadsheet's cells are both
    e.preventDefault()
    take(files)
  })
  document.addEventListener('dragover', (e) => {
    if (e.dataTransfer.types.includes('Files')) e.preventDefault() // else the browser leaves the page for the file
  })
  document.addEventListener('drop', (e) => {
    if (!e.dataTransfer.files.length) return
    e.preventDefault()
    if (taken()) take([...e.dataTransfer.files])
  })
}
