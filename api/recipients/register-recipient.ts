import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import {
  type Recipient,
  registerRecipient as registerRow,
} from '../../shared/db/organizations/api/recipients.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { addressFamily, parseAddress } from '../../shared/domain/families/families.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Request } from '../route.ts'
import type { RegisterRecipientBody } from './schema.ts'

/**
 * Registers an address the organization may pay in splits, or brings back the recipient it already is.
 *
 * The same request twice has the same outcome: not revoked, `payout` false, and the label as given, or as it was if none
 * is. The fee treasury may be registered; a charge refuses to pay it.
 */
export async function registerRecipient(
  sql: Sql,
  { key, body }: Request<unknown, Static<typeof RegisterRecipientBody>>,
): Promise<Recipient> {
  const address = parseAddress(body.address)
  const family = addressFamily(body.address)
  invariant(address !== null && family !== null, `the address ${body.address} passed its rule`)
  return await registerRow(sql, {
    id: newId('rc', key.now.getTime()),
    organizationId: key.organizationId,
    environment: key.environment,
    address,
    family,
    label: body.label ?? null,
  })
}
