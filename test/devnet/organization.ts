import { createKey } from '../../indexer/commands/create-key.ts'
import { connect, type Sql } from '../../shared/db/connect.ts'
import { type Address, parseEvmAddress } from '../../shared/domain/address.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import { SCOPES, type Scope } from '../../shared/domain/scope.ts'
import { ACCOUNTS, type DevnetAccount } from './accounts.ts'
import { TRON_ACCOUNTS } from './tron/accounts.ts'

/**
 * Scopes that one key may have together. Either omitted scope would conflict with them (`hasConflictingScopes`): the
 * holder of a stolen key could pay themselves.
 */
const COMBINABLE = SCOPES.filter(
  (scope) => scope !== 'charges:split_write' && scope !== 'recipients:manage_payout',
)
const RECIPIENTS: readonly Scope[] = ['recipients:read', 'recipients:write']

type KeyPlan = { readonly environment: Environment; readonly scopes: readonly Scope[] }

const KEYS = {
  live: { environment: 'live', scopes: COMBINABLE },
  test: { environment: 'test', scopes: COMBINABLE },
  liveSplit: { environment: 'live', scopes: ['charges:read', 'charges:write', 'charges:split_write'] },
  liveRecipients: { environment: 'live', scopes: RECIPIENTS },
  liveManagePayout: { environment: 'live', scopes: [...RECIPIENTS, 'recipients:manage_payout'] },
  noScopes: { environment: 'live', scopes: [] },
} as const satisfies Record<string, KeyPlan>

/** The devnet's API keys by purpose. `otherOrganization` is like `live`, but for another organization. */
export type DevnetKeys = Readonly<Record<keyof typeof KEYS | 'otherOrganization', string>>

/** Creates two organizations with payout addresses and API keys, and returns the keys. */
export async function createOrganizations(operatorUrl: string): Promise<DevnetKeys> {
  const sql = connect({ url: operatorUrl, applicationName: 'devnet', maxConnections: 1 })
  try {
    const first = await createOrganization(sql, {
      name: 'Devnet merchant',
      payee: ACCOUNTS.merchant,
      payeeOnTron: TRON_ACCOUNTS.tronMerchant,
      keys: KEYS,
    })
    const other = await createOrganization(sql, {
      name: 'Another merchant',
      payee: ACCOUNTS.merchant2,
      keys: { otherOrganization: KEYS.live },
    })
    return { ...first, ...other }
  } finally {
    await sql.end()
  }
}

async function createOrganization<Name extends string>(
  sql: Sql,
  plan: {
    name: string
    payee: DevnetAccount
    payeeOnTron?: DevnetAccount
    keys: Readonly<Record<Name, KeyPlan>>
  },
): Promise<Record<Name, string>> {
  const treasury = { evm: addressOf(ACCOUNTS.treasury), tron: addressOf(ACCOUNTS.treasury) }
  const keys: Partial<Record<Name, string>> = {}
  let createsOrganization = true
  for (const name of Object.keys(plan.keys) as Name[]) {
    const { key } = await createKey(
      { sql, treasury, nowMs: Date.now() },
      {
        ...plan.keys[name],
        organization: plan.name,
        createsOrganization,
        feePercent: null,
        payoutAddress: addressOf(plan.payee),
        otherPayoutAddresses: plan.payeeOnTron ? { tron: addressOf(plan.payeeOnTron) } : {},
        registersPayoutAddress: true,
      },
    )
    keys[name] = key
    createsOrganization = false
  }
  return keys as Record<Name, string>
}

function addressOf(account: DevnetAccount): Address {
  const address = parseEvmAddress(account.address)
  if (address === null) throw new Error(`${account.address} is not an address`)
  return address
}
