import type { Sql } from './connect.ts'

/**
 * The channels there are: a batch of events was numbered, a chain's head was applied while transfers wait, or the API
 * asks the daemon something.
 */
export type Channel = 'svc_events' | 'svc_heads' | 'svc_requests'

/**
 * Listens on a channel over a connection of its own, which the driver opens again whenever it is lost.
 *
 * A notification sent meanwhile is lost: `onListening`, called after every (re)connect, is the moment to look.
 * Resolves when listening for the first time; `stop` ends it.
 */
export async function listen(
  sql: Sql,
  channel: Channel,
  handlers: { onNotification: (payload: string) => void; onListening: () => void },
): Promise<{ stop: () => Promise<void> }> {
  const listening = await sql.listen(channel, handlers.onNotification, handlers.onListening)
  return { stop: () => listening.unlisten() }
}
