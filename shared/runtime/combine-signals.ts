/**
 * Returns a signal that aborts as soon as one of `signals` aborts, with the same reason.
 *
 * Use it instead of `AbortSignal.any`, whose signal Node 20 may garbage-collect while a request still depends on it.
 * The request then never times out.
 *
 * @see https://github.com/nodejs/node/issues/54614
 */
export function combineSignals(signals: readonly AbortSignal[]): AbortSignal {
  const combined = new AbortController()
  for (const source of signals) {
    const abort = (): void => combined.abort(source.reason)
    if (source.aborted) abort()
    else source.addEventListener('abort', abort, { once: true, signal: combined.signal })
  }
  return combined.signal
}
