import { setTimeout as delay } from 'node:timers/promises'
import { requestRpc } from '../../support/request-rpc.ts'
import type { RecordedNetwork } from '../checker/entry.ts'
import { type Recorder, readClock } from '../record.ts'

/** A fifth of the block time, so that the record shows each height soon after its block. */
const INTERVAL_MS = 200

/** Records the chains' heights. Returns the function that stops the recording. */
export function observeHeads(recorder: Recorder, networks: readonly RecordedNetwork[]): () => Promise<void> {
  const ending = new AbortController()
  const observe = async ({ network, rpcUrl }: RecordedNetwork) => {
    while (!ending.signal.aborted) {
      const askedMs = readClock()
      // A busy node might not respond.
      const number = await requestRpc(rpcUrl, 'eth_blockNumber', []).catch(() => null)
      if (number !== null) recorder.add({ type: 'head', network, number: Number(number), askedMs })
      await delay(INTERVAL_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const observing = networks.map(observe)
  return async () => {
    ending.abort()
    await Promise.all(observing)
  }
}
