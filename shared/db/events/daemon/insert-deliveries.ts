import type { Fragment } from 'postgres'
import type { Db } from '../../connect.ts'

/**
 * Returns SQL that inserts the deliveries of events: one for each webhook that receives the event.
 *
 * The SQL must follow `with inserted as (…)`, which inserts the events and returns each row as `event`. Events and
 * deliveries are therefore always inserted together. `events.ts` calls this function, and `create_charges`
 * (`000016_create_charges.sql`) repeats its SQL. `list_receiving_webhooks` is in `000013_webhooks.sql`.
 */
export function insertDeliveries(db: Db): Fragment {
  return db`
    insert into deliveries (webhook_id, event_number, charge_id)
    select webhook_id, (event).number, (event).charge_id
    from inserted, list_receiving_webhooks(event) as webhook_id
    order by (event).number`
}
