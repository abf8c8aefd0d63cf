import type { Sql } from './connect.ts'

/**
 * Notification channels. In the order of the type, they report that a batch of events was numbered, a chain's head was
 * applied while transfers wait, an operator paused or resumed a pair, a request was inserted for the daemon, or a
 * sleeping network must wake.
 */
export type Channel = 'svc_events' | 'svc_heads' | 'svc_pairs' | 'svc_requests' | 'svc_wakes'

/**
 * Listens on a channel over a dedicated connection, which the driver reopens whenever it is lost. Resolves when
 * listening has started.
 *
 * Notifications sent while disconnected are lost, so `onListening`, called after every (re)connect, must poll.
 */
export async function listen(
  sql: Sql,
  channel: Channel,
  handlers: { onNotification: (payload: string) => void; onListening: () => void },
): Promise<{ stop: () => Promise<void> }> {
  const listening = await sql.listen(channel, handlers.onNotification, handlers.onListening)
  return { stop: () => listening.unlisten() }
}
