import type { Sql } from '../../shared/db/connect.ts'
import {
  type ListedApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../shared/db/organizations/daemon/api-keys.ts'
import { findOrganizations } from '../../shared/db/organizations/daemon/organizations.ts'
import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../../shared/domain/address.ts'
import {
  CHAIN_FAMILIES,
  type OtherPayoutAddresses,
  PRIMARY_FAMILY,
  presentAddress,
} from '../../shared/domain/chain-families/chain-families.ts'
import { SCOPES, type Scope } from '../../shared/domain/scope.ts'
import { readKeysConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, parseOptions, required, requireOne, table } from '../../shared/runtime/command-line.ts'
import { runCommand, selectCommand, withConnection, withOperator } from './command.ts'
import { createKey } from './create-key.ts'
import { parseEnvironment } from './parse-deployment.ts'
import { parseFee } from './parse-fee.ts'

const USAGE = `Creates, lists and revokes API keys.

  npm run keys -- create --organization NAME|ID --env live|test --payout-address 0x… --scopes LIST|none
      --tron-payout-address T…     payout address for charges on TRON; required to create charges there
      --create-organization        creates the organization, which must not exist yet
      --fee-percent PERCENT        the new organization's own fee; without this option, the configured fee applies
      --register-payout-address    registers the payout addresses as payout-eligible recipients; otherwise they must be
                                   registered already
  npm run keys -- list [--organization NAME|ID]
  npm run keys -- revoke KEY_ID

The key is printed once and not stored. Scopes, comma-separated:
  ${SCOPES.join('\n  ')}
OPERATOR_DATABASE_URL names the database. TREASURY_ADDRESS and TREASURY_ADDRESS_TRON must not be used as payout addresses.
`

const PAYOUT_OPTIONS = CHAIN_FAMILY_NAMES.map((family) => CHAIN_FAMILIES[family].payoutOption)

await runCommand({ usage: USAGE, run: selectCommand({ create, list, revoke }) })

async function create(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, {
    texts: ['organization', 'fee-percent', 'env', 'scopes', ...PAYOUT_OPTIONS],
    flags: ['create-organization', 'register-payout-address'],
  })
  const input = {
    organization: required(values.organization, 'organization'),
    createsOrganization: values['create-organization'],
    feePercent: parseFeePercent(values['fee-percent'], values['create-organization']),
    environment: parseEnvironment(values.env),
    ...readPayoutAddresses(values),
    registersPayoutAddress: values['register-payout-address'],
    scopes: parseScopes(required(values.scopes, 'scopes')),
  }
  const { databaseUrl, treasury } = readKeysConfig()
  const { id, key, organization } = await withConnection(databaseUrl, (sql) =>
    createKey({ sql, treasury, nowMs: Date.now() }, input),
  )
  return [
    `organization  ${organization.id}  ${organization.name}`,
    `key id        ${id}`,
    `key           ${key}`,
    'Save the key now: it is not stored and cannot be shown again.',
  ]
}

async function list(args: string[]): Promise<readonly string[]> {
  const { values } = parseOptions(args, { texts: ['organization'] })
  return await withOperator(async (sql) => {
    const ids = values.organization === undefined ? [null] : await organizationIds(sql, values.organization)
    const keys = await Promise.all(ids.map((id) => listApiKeys(sql, id)))
    const headings = ['key id', 'organization', 'env', 'key', 'pays out to', 'state', 'scopes']
    return table([headings, ...keys.flat().map(presentKey)])
  })
}

async function revoke(args: string[]): Promise<readonly string[]> {
  const { positionals } = parseOptions(args, { allowPositionals: true })
  const id = requireOne(positionals, 'revoke takes one key id; see npm run keys -- list')
  const revokedAt = await withOperator((sql) => revokeApiKey(sql, id))
  if (!revokedAt) throw new CommandError(`no key has the id ${JSON.stringify(id)}: see npm run keys -- list`)
  return [`${id} has been revoked since ${revokedAt.toISOString()}.`]
}

async function organizationIds(sql: Sql, idOrName: string): Promise<readonly string[]> {
  const organizations = await findOrganizations(sql, idOrName)
  if (organizations.length > 0) return organizations.map(({ id }) => id)
  throw new CommandError(`no organization has the name or id ${JSON.stringify(idOrName)}`)
}

function presentKey(key: ListedApiKey): readonly string[] {
  const stopped = key.isPayoutStopped ? 'stopped: payout address revoked' : 'active'
  const state = key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : stopped
  const { id, organizationName, environment, hint, scopes } = key
  return [id, organizationName, environment, hint, presentPayees(key), state, scopes.join(',') || 'none']
}

function presentPayees({ payoutAddresses }: ListedApiKey): string {
  return CHAIN_FAMILY_NAMES.flatMap((family) => {
    const address = payoutAddresses[family]
    return address === undefined ? [] : [presentAddress(address, family)]
  }).join(', ')
}

function readPayoutAddresses(values: { readonly [Option in (typeof PAYOUT_OPTIONS)[number]]?: string }) {
  const textOf = (family: ChainFamilyName) => values[CHAIN_FAMILIES[family].payoutOption]
  const others = CHAIN_FAMILY_NAMES.filter((family) => family !== PRIMARY_FAMILY).flatMap((family) => {
    const text = textOf(family)
    return text === undefined ? [] : [[family, parsePayoutAddress(text, family)]]
  })
  const text = required(textOf(PRIMARY_FAMILY), CHAIN_FAMILIES[PRIMARY_FAMILY].payoutOption)
  return {
    payoutAddress: parsePayoutAddress(text, PRIMARY_FAMILY),
    otherPayoutAddresses: Object.fromEntries(others) as OtherPayoutAddresses,
  }
}

function parsePayoutAddress(text: string, family: ChainFamilyName): Address {
  const { payoutOption, addressForm, parseAddress } = CHAIN_FAMILIES[family]
  const address = parseAddress(text)
  if (address) return address
  throw new CommandError(`--${payoutOption} is ${JSON.stringify(text)}: must be ${addressForm}`)
}

function parseScopes(text: string): readonly Scope[] {
  if (text === 'none') return []
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  return names.map((name) => {
    const scope = SCOPES.find((known) => known === name)
    if (!scope)
      throw new CommandError(`--scopes has ${JSON.stringify(name)}: must be one of ${SCOPES.join(', ')}`)
    return scope
  })
}

function parseFeePercent(text: string | undefined, createsOrganization: boolean): string | null {
  if (text === undefined) return null
  if (!createsOrganization) throw new CommandError('--fee-percent requires --create-organization')
  return parseFee('--fee-percent', text)
}
