import { randomBytes } from 'node:crypto'
import { toHex } from 'viem'
import { createKey } from '../../../indexer/commands/create-key.ts'
import { connect } from '../../../shared/db/connect.ts'
import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { SCOPES } from '../../../shared/domain/scope.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Devnet } from '../../devnet/devnet.ts'
import { addressOf } from '../random-terms.ts'
import { query } from '../scenario.ts'

/** A split recipient, with one recipient id per chain family. */
export type Partner = {
  readonly address: Address
  readonly recipientIds: Readonly<Record<ChainFamilyName, string>>
}

/** A new merchant on a devnet. Its accounts are new, so only its own charges pay them. */
export type Shop = {
  readonly organizationId: string
  /** The devnet, in whose description this merchant's key replaces both live keys. */
  readonly devnet: Devnet
  readonly merchant: Address
  readonly partners: readonly Partner[]
  /** A partner whose shares are held, and released later. */
  readonly delayedPartner: Partner
  /** A partner whose shares stay held. */
  readonly lostPartner: Partner
  /** The account that keepers name as distributor, and that receives their incentive. */
  readonly keeper: Address
}

const PARTNERS = 4
const REGISTRATION_SCOPES = ['recipients:write', 'recipients:manage_payout']

/** Creates an organization, its partners, and a key with every scope except those that change recipients. */
export async function createShop(devnet: Devnet): Promise<Shop> {
  const merchant = newAddress()
  const { key, organization } = await issueKey(devnet, merchant)
  const addresses = Array.from({ length: PARTNERS + 2 }, newAddress)
  const partners = addresses.map((address) => ({ address, recipientIds: newRecipientIds() }))
  await registerPartners(devnet, { organizationId: organization.id, partners })
  const [delayedPartner, lostPartner, ...others] = partners
  if (delayedPartner === undefined || lostPartner === undefined)
    throw new Error('a shop needs at least two partners')
  const keys = { ...devnet.description.keys, live: key, liveSplit: key }
  return {
    organizationId: organization.id,
    devnet: { ...devnet, description: { ...devnet.description, keys } },
    ...{ merchant, partners: others, delayedPartner, lostPartner, keeper: newAddress() },
  }
}

function newAddress(): Address {
  return addressOf(toHex(randomBytes(20)))
}

function newRecipientIds(): Partner['recipientIds'] {
  return { evm: newId('rc', Date.now()), tron: newId('rc', Date.now()) }
}

async function issueKey(devnet: Devnet, merchant: Address) {
  const treasury = addressOf(ACCOUNTS.treasury.address)
  const sql = connect({
    url: devnet.databaseUrls.operator,
    applicationName: 'books',
    maxConnections: 1,
  })
  const plan = {
    ...{ organization: `Books ${merchant}`, createsOrganization: true, registersPayoutAddress: true },
    scopes: SCOPES.filter((scope) => !REGISTRATION_SCOPES.includes(scope)),
    ...{ environment: 'live' as const, feePercent: null },
    ...{ payoutAddress: merchant, otherPayoutAddresses: { tron: merchant } },
  }
  try {
    return await createKey({ sql, treasury: { evm: treasury, tron: treasury }, nowMs: Date.now() }, plan)
  } finally {
    await sql.end()
  }
}

async function registerPartners(
  devnet: Devnet,
  { organizationId, partners }: { readonly organizationId: string; readonly partners: readonly Partner[] },
): Promise<void> {
  const rows = partners.flatMap(({ address, recipientIds }) =>
    CHAIN_FAMILY_NAMES.map((family) => ({
      ...{ id: recipientIds[family], organizationId, environment: 'live', address, family },
    })),
  )
  await query(devnet, (sql) => sql`insert into recipients ${sql(rows)}`)
}
