import type { Db, Sql } from '../../shared/db/connect.ts'
import { insertApiKey } from '../../shared/db/organizations/daemon/api-keys.ts'
import {
  findOrganizations,
  insertOrganization,
  type Organization,
} from '../../shared/db/organizations/daemon/organizations.ts'
import {
  lockPayoutRecipient,
  registerPayoutRecipient,
} from '../../shared/db/organizations/payout-recipients.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../../shared/domain/address.ts'
import { createApiKey, hashApiKey } from '../../shared/domain/api-key.ts'
import {
  type OtherPayoutAddresses,
  PRIMARY_FAMILY,
  presentAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { hasConflictingScopes, type Scope } from '../../shared/domain/scope.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import type { Treasury } from '../../shared/runtime/process-config.ts'

type Input = {
  /** The organization's id or name; with `createsOrganization`, the name of the new organization. */
  readonly organization: string
  readonly createsOrganization: boolean
  /** The new organization's fee in percent, such as `0.5`; `null` for the configured fee. */
  readonly feePercent: string | null
  readonly environment: Environment
  readonly payoutAddress: Address
  /** Payout addresses of the other families in which the key may create charges. */
  readonly otherPayoutAddresses?: OtherPayoutAddresses
  /** Whether to register the key's payout addresses as payout-eligible recipients. */
  readonly registersPayoutAddress: boolean
  readonly scopes: readonly Scope[]
}

/**
 * Issues an API key in one transaction. Its payout addresses must be payout-eligible recipients of the organization,
 * unless `registersPayoutAddress` makes them so.
 *
 * @throws {CommandError} if the scopes conflict; a payout address is zero, the treasury, or not a payout-eligible
 * recipient; or the organization is unknown or ambiguous, or must be created but exists
 * @see decisions 6.1, 7.3
 */
export async function createKey(deps: { sql: Sql; treasury: Treasury; nowMs: number }, input: Input) {
  refuseConflictingScopes(input.scopes)
  const payees = payeesOf(input)
  for (const payee of payees) refuseUnpayable(payee, deps.treasury)
  return await inTransaction(deps.sql, async (db) => {
    const organization = await resolveOrganization(db, { ...input, nowMs: deps.nowMs })
    for (const payee of payees)
      await ensurePayoutRecipient(db, {
        ...input,
        ...payee,
        organizationId: organization.id,
        nowMs: deps.nowMs,
      })
    const key = createApiKey(input.environment)
    const id = newId('key', deps.nowMs)
    await insertApiKey(db, {
      id,
      organizationId: organization.id,
      environment: input.environment,
      keyHash: hashApiKey(key),
      hint: `svc_${input.environment}_…${key.slice(-4)}`,
      payoutAddress: input.payoutAddress,
      otherPayoutAddresses: input.otherPayoutAddresses ?? {},
      scopes: input.scopes,
    })
    return { id, key, organization }
  })
}

function refuseConflictingScopes(scopes: readonly Scope[]): void {
  if (!hasConflictingScopes(scopes)) return
  throw new CommandError(
    `the scopes ${scopes.join(', ')} conflict: the holder of a stolen key could pay themselves. ` +
      'Create one key with charges:split_write or refunds:write, and another with recipients:write or recipients:manage_payout',
  )
}

type Payee = { readonly family: ChainFamilyName; readonly address: Address }

function payeesOf({ payoutAddress, otherPayoutAddresses }: Input): readonly Payee[] {
  const addresses = { ...otherPayoutAddresses, [PRIMARY_FAMILY]: payoutAddress }
  return CHAIN_FAMILY_NAMES.flatMap((family) => {
    const address = addresses[family]
    return address === undefined ? [] : [{ family, address }]
  })
}

function refuseUnpayable({ family, address }: Payee, treasury: Treasury): void {
  if (/^0x0{40}$/.test(address))
    throw new CommandError('the payout address is the zero address: money sent there is lost')
  if (!Object.values(treasury).includes(address)) return
  throw new CommandError(
    `the payout address ${presentAddress(address, family)} is the fee treasury: use the merchant's own`,
  )
}

async function resolveOrganization(
  db: Db,
  input: Pick<Input, 'organization' | 'createsOrganization' | 'feePercent'> & { nowMs: number },
): Promise<Organization> {
  const name = JSON.stringify(input.organization)
  const [found, ...others] = await findOrganizations(db, input.organization)
  if (input.createsOrganization) {
    if (found) throw new CommandError(`organization ${name} exists (${found.id}): omit --create-organization`)
    const organization = {
      id: newId('org', input.nowMs),
      name: input.organization,
      feePercent: input.feePercent,
    }
    await insertOrganization(db, organization)
    return organization
  }
  if (!found) throw new CommandError(`no organization has the name or id ${name}: add --create-organization`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id).join(', ')
  throw new CommandError(`several organizations are named ${name}: use one of the ids ${ids}`)
}

async function ensurePayoutRecipient(
  db: Db,
  input: Pick<Input, 'environment' | 'registersPayoutAddress'> &
    Payee & { organizationId: string; nowMs: number },
): Promise<void> {
  const { organizationId, environment, address, family } = input
  const recipient = { organizationId, environment, address, family }
  if (input.registersPayoutAddress) {
    await registerPayoutRecipient(db, { ...recipient, id: newId('rc', input.nowMs) })
  } else if (!(await lockPayoutRecipient(db, recipient))) {
    throw new CommandError(
      `${presentAddress(address, family)} is not a payout-eligible ${input.environment} recipient of the organization: ` +
        'register it with a key that has recipients:manage_payout, or add --register-payout-address',
    )
  }
}
