import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'

/**
 * A logged error, reduced to its message, the chain and the loop's name. The message and the name are constants of the
 * code, so they contain no secrets.
 */
export type RecentError = {
  readonly message: string
  readonly chainId: number | null
  readonly times: number
  readonly lastAt: Date
}

/** Large enough for all loops of a daemon with several networks, which all fail if the database does not respond. */
const MAX_MESSAGES = 100

/** Creates a logger that also keeps the last 100 different errors. `list` returns them newest first. */
export function rememberErrors(log: Logger, now: Clock): { log: Logger; list: () => readonly RecentError[] } {
  const errors = new Map<string, RecentError>()
  const remember = (
    entry: Parameters<Logger['error']>[0],
    fields: Readonly<Record<string, unknown>>,
  ): void => {
    const { chain_id, loop } = { ...fields, ...entry } as { chain_id?: unknown; loop?: unknown }
    const chainId = typeof chain_id === 'number' ? chain_id : null
    const message = typeof loop === 'string' ? `${entry.msg}: ${loop}` : entry.msg
    const key = `${chainId} ${message}`
    const times = (errors.get(key)?.times ?? 0) + 1
    // Deletes the entry first, so that the map is ordered by last occurrence.
    errors.delete(key)
    errors.set(key, { message, chainId, times, lastAt: now() })
    const [oldest] = errors.keys()
    if (errors.size > MAX_MESSAGES && oldest !== undefined) errors.delete(oldest)
  }
  return { log: wrap(log, {}, remember), list: () => [...errors.values()].toReversed() }
}

function wrap(
  log: Logger,
  fields: Readonly<Record<string, unknown>>,
  remember: (entry: Parameters<Logger['error']>[0], fields: Readonly<Record<string, unknown>>) => void,
): Logger {
  const reportAs =
    (level: 'error' | 'fatal'): Logger['error'] =>
    (entry) => {
      remember(entry, fields)
      log[level](entry)
    }
  return {
    trace: (entry) => log.trace(entry),
    debug: (entry) => log.debug(entry),
    info: (entry) => log.info(entry),
    warn: (entry) => log.warn(entry),
    error: reportAs('error'),
    fatal: reportAs('fatal'),
    child: (more) => wrap(log.child(more), { ...fields, ...more }, remember),
  }
}
