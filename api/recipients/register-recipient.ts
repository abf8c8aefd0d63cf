import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import {
  type Recipient,
  registerRecipient as registerRow,
} from '../../shared/db/organizations/api/recipients.ts'
import { findAddressFamily, parseAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Request } from '../http/route.ts'
import type { RegisterRecipientBody } from './schema.ts'

/**
 * Registers an address that the organization may pay in splits, or restores the existing recipient of the address.
 *
 * An existing recipient loses `payout`, and keeps its label unless the request contains one. The fee treasury may be
 * registered, but charges reject it.
 */
export async function registerRecipient(
  sql: Sql,
  { key, body }: Request<unknown, Static<typeof RegisterRecipientBody>>,
): Promise<Recipient> {
  const address = parseAddress(body.address)
  const family = findAddressFamily(body.address)
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
