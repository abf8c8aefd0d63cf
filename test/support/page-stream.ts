import { get } from 'node:http'
import { waitFor } from '../devnet/wait-for.ts'

/** The event stream of a payer's page, as a browser opens it. */
export type PageStream = {
  readonly chargeId: string
  /** Returns the last received page state. `atMs` is its arrival time by `performance.now()`. */
  readonly last: () => { readonly screen: string; readonly status: string; readonly atMs: number } | null
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Opens the stream and waits for its first page state. */
export async function openPageStream(url: string, chargeId: string): Promise<PageStream> {
  let last: ReturnType<PageStream['last']> = null
  let isOpen = true
  let text = ''
  const request = get(`${url}/${chargeId}/events`, { agent: false }, (response) => {
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      const frames = `${text}${chunk}`.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = frame.split('\n').find((line) => line.startsWith('data: '))
        if (data === undefined) continue
        const { screen, status } = JSON.parse(data.slice(6)) as { screen: string; status: string }
        last = { screen, status, atMs: performance.now() }
      }
    })
    response.on('close', () => {
      isOpen = false
    })
  })
  request.on('error', () => {
    isOpen = false
  })
  await waitFor(() => last !== null, {
    ...{ what: `a state on the stream of ${chargeId}`, timeoutMs: 120_000, intervalMs: 50 },
  })
  return { chargeId, last: () => last, isOpen: () => isOpen, close: () => request.destroy() }
}
