/**
 * The client of the export benchmark, in its own process: reads the export at a URL, then sends its size to the parent.
 * It runs at the lowest priority to leave the processor to the API, because a merchant's client runs elsewhere.
 */
import { get, type IncomingMessage } from 'node:http'
import { setPriority } from 'node:os'

export type Exported = { readonly bytes: number; readonly entries: number; readonly rows: number }

const LOWEST_PRIORITY = 19
const LINE_FEED = 10

const [url = '', authorization = ''] = process.argv.slice(2)
setPriority(LOWEST_PRIORITY)
process.send?.(await readExport())
process.disconnect()

async function readExport(): Promise<Exported> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: { authorization } }, resolve).on('error', reject)
  })
  let [bytes, rows] = [0, 0]
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) rows += 1
  }
  const entries = Number(response.trailers['accounting-entries'])
  if (Number.isNaN(entries)) throw new Error('the export was cut: it has no trailers')
  return { bytes, entries, rows }
}
