import type { ServerResponse } from 'node:http'

/** Resolves when all bytes written so far are sent, or the client has disconnected. */
export async function untilReady(res: ServerResponse): Promise<void> {
  if (res.destroyed) return
  await new Promise<void>((resolve) => {
    const proceed = (): void => {
      res.off('drain', proceed).off('close', proceed)
      resolve()
    }
    res.on('drain', proceed).on('close', proceed)
  })
}
