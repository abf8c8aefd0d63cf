/**
 * Returns a signal that aborts with the reason of the first of `signals` that aborts.
 *
 * Use it instead of `AbortSignal.any`, whose result Node 20 can collect as garbage while a request still depends on it.
 * Such a request never times out.
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
