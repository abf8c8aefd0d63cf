import { privateKeyToAccount } from 'viem/accounts'
import { upsertDeployment } from '../../shared/db/chain-facts/daemon/deployments.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { syncPairs } from '../../shared/db/organizations/daemon/pairs.ts'
import type { Address } from '../../shared/domain/address.ts'
import { hashApiKey } from '../../shared/domain/api-key.ts'
import { DATA_FEES } from '../../shared/domain/data-fees.ts'
import { GAS_BOUNDS } from '../../shared/domain/gas-bounds.ts'
import { micro } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { ENVIRONMENTS, type Environment, type Network, type Token } from '../../shared/domain/networks.ts'
import { configureNodes, DEFAULT_QUORUM } from '../../shared/domain/node-config.ts'
import { createSealKeys, seal } from '../../shared/domain/sealed-box.ts'
import { createWebhookSecret, getHint } from '../../shared/domain/webhook-secret.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { insertPayoutKey, insertServiceTerms, insertTrustedTerms } from '../support/trusted-terms.ts'
import { TRON_FACTORY } from './model/tron.ts'
import { installWitness } from './observation-log.ts'

/** Start time of every history. The date is arbitrary. */
export const START_MS = Date.parse('2026-11-20T12:00:00.000Z')

/** Confirmation depth of every chain except Arc. */
export const CONFIRMATIONS = 3
/** Number of blocks after which Ponder considers a block final. Every simulated reorganization is shallower. */
export const FINALITY_BLOCKS = 30
export const BLOCK_MS = 2_000
/** URL of the checkout pages, configured only in histories in which payers name the destinations of refunds. */
export const CHECKOUT_BASE_URL = 'https://pay.example/charges'
/** Minimum number of nodes per chain. Some chains have one more (`plan.ts`). */
export const NODES_PER_CHAIN = 2
/** When a network without new blocks counts as stale. */
export const STALE_AFTER = { blocks: 20, atLeastMs: 120_000 }
/** Minimum payout: one dollar, in 10⁻¹⁸ dollars. */
export const WORTH_ATTO = 10n ** 18n

const RELAYER_KEY = `0x${'5e'.repeat(32)}` as const

export const RELAYER = privateKeyToAccount(RELAYER_KEY).address.toLowerCase() as Address
export const TREASURY = `0x${'77'.repeat(20)}` as Address
export const KEEPER = `0x${'4e'.repeat(20)}` as Address
export const PAYER = `0x${'9a'.repeat(20)}` as Address
export const PARTNER = `0x${'bb'.repeat(20)}` as Address
/** The wallet from which merchants pay refunds, and the destinations of the refunds. */
export const REFUND_WALLET = `0x${'7e'.repeat(20)}` as Address
export const REFUND_DESTINATIONS = ['d1', 'd2'].map((byte) => `0x${byte.repeat(20)}` as Address)
/** A second payer, and a stranger who sends dust and submits other people's signatures. */
export const SECOND_PAYER = `0x${'9b'.repeat(20)}` as Address
export const STRANGER = `0x${'59'.repeat(20)}` as Address
export const RELAYER_PRIVATE_KEY = RELAYER_KEY
/** The account whose signature moves the money of every escrow. */
export const RELEASER_ACCOUNT = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
/** A payer who pays by signature, and the key of the account that executes authorizations. */
export const SIGNING_ACCOUNT = privateKeyToAccount(`0x${'5c'.repeat(32)}`)
export const SIGNING_PAYER = SIGNING_ACCOUNT.address.toLowerCase() as Address
export const AUTHORIZER_PRIVATE_KEY = `0x${'5d'.repeat(32)}` as const
/** The service's accounts, which pay for gas. */
export const FUNDED: readonly Address[] = [
  RELAYER,
  privateKeyToAccount(AUTHORIZER_PRIVATE_KEY).address.toLowerCase() as Address,
]
export const RELEASER = RELEASER_ACCOUNT.address.toLowerCase() as Address

/** A merchant's organization, with an endpoint for all its events. */
export type Organization = {
  readonly id: string
  readonly merchant: Address
  readonly environment: Environment
  readonly keyId: string
  readonly apiKey: string
  /** Id of the registered recipient with the partner's address. */
  readonly partnerId: string
  readonly webhookId: string
  readonly url: string
}

export const ORGANIZATIONS: readonly Organization[] = [
  organization('one', {
    ...{ merchant: `0x${'a1'.repeat(20)}` as Address, environment: 'live' },
    apiKey: 'svc_live_C9Cl0UxlU554Ira6y8CXDhHFJPfuWnkqzTywL5OLfrD0eauZi',
  }),
  organization('two', {
    ...{ merchant: `0x${'a2'.repeat(20)}` as Address, environment: 'live' },
    apiKey: 'svc_live_Gqt3Zb1cQvqF6OcP0HECd0oVDqqJVr35R9a8DXLJiP22yTBUa',
  }),
  organization('three', {
    ...{ merchant: `0x${'a3'.repeat(20)}` as Address, environment: 'test' },
    apiKey: 'svc_test_oqYdx1Z6WoZdn9il9gRpqKRMqUoZMKJsKXWlofC0qKN3ziVN8',
  }),
]

function organization(
  name: string,
  terms: Pick<Organization, 'merchant' | 'environment' | 'apiKey'>,
): Organization {
  return {
    ...{
      id: `org_${name}`,
      keyId: `key_${name}`,
      webhookId: `wh_${name}`,
      partnerId: `rc_org_${name}`,
      ...terms,
    },
    url: `https://${name}.example/hook`,
  }
}

/** Two live chains with different decimals, and the first chain's testnet, on which splits have the same addresses. */
export const DEPLOYMENTS: readonly IndexerDeployment[] = [
  deployment('base', { environment: 'live', chainId: 8453, tokens: ['USDC'] }),
  deployment('bnb', { environment: 'live', chainId: 56, tokens: ['USDC', 'USDT'] }),
  deployment('base', { environment: 'test', chainId: 84_532, tokens: ['USDC'] }),
]

/** Arc and its testnet, which can replace a chain of `DEPLOYMENTS`. Their blocks are final immediately. */
export const ARC_DEPLOYMENTS: readonly IndexerDeployment[] = [
  deployment('arc', { environment: 'live', chainId: 5042, tokens: ['USDC'], confirmations: 1 }),
  deployment('arc', { environment: 'test', chainId: 5_042_002, tokens: ['USDC'], confirmations: 1 }),
]

/** TRON and its testnet, which can replace a chain of `DEPLOYMENTS`. */
export const TRON_DEPLOYMENTS: readonly IndexerDeployment[] = [
  deployment('tron', { environment: 'live', chainId: 728_126_428, tokens: ['USDT'] }),
  deployment('tron', { environment: 'test', chainId: 3_448_148_188, tokens: ['USDT'] }),
]

const ALL_DEPLOYMENTS = [...DEPLOYMENTS, ...ARC_DEPLOYMENTS, ...TRON_DEPLOYMENTS]

export const CHAIN_IDS = ALL_DEPLOYMENTS.map(({ chainId }) => chainId)

type DeploymentTerms = {
  readonly environment: Environment
  readonly chainId: number
  readonly tokens: readonly Token[]
  readonly confirmations?: number
}

function deployment(
  network: Network,
  { environment, chainId, tokens, confirmations = CONFIRMATIONS }: DeploymentTerms,
): IndexerDeployment {
  const { family, [environment]: chain } = REGISTRY[network]
  const facts = chain?.tokens ?? {}
  const gasBounds = GAS_BOUNDS[network] ?? { maxFeePerGasWei: 0n, maxTipPerGasWei: 0n }
  return {
    ...{ network, environment, chainId, family, confirmations },
    ...{ blockTimeMs: BLOCK_MS, pollingIntervalMs: BLOCK_MS / 2, finalityBlocks: FINALITY_BLOCKS },
    ...nodesOf({ chainId, family }, NODES_PER_CHAIN),
    ...(family === 'tron' && { splitFactory: TRON_FACTORY }),
    tokens: tokens.flatMap((token) => {
      const fact = facts[token]
      return fact ? [{ token, enabled: true, ...fact }] : []
    }),
    ...{ startBlock: 0, minimumPayoutMicro: micro(1_000_000n), gasBounds, dataFee: DATA_FEES[network] },
  }
}

/** Returns the deployment with this number of nodes. Each node has its own operator, and two must agree. */
export function withNodes(deployment: IndexerDeployment, count: number): IndexerDeployment {
  return { ...deployment, ...nodesOf(deployment, count) }
}

function nodesOf(
  { chainId, family }: Pick<IndexerDeployment, 'chainId' | 'family'>,
  count: number,
): Pick<IndexerDeployment, 'nodes' | 'rpcUrls' | 'quorum'> {
  const path = family === 'tron' ? 'jsonrpc' : ''

  const nodes = configureNodes(
    Array.from({ length: count }, (_, index) => ({
      url: `http://node-${index}.chain-${chainId}.example/${path}`,
      operator: `operator-${index}`,
    })),
  )
  return { nodes, rpcUrls: nodes.map(({ url }) => url), quorum: DEFAULT_QUORUM }
}

/** The keys with which this run seals webhook secrets. */
export const SEAL_KEYS = createSealKeys()

/**
 * Installs the observation log, and inserts the initial rows of every history as the owner: the service's terms,
 * organizations, keys, recipients, endpoints, networks and pairs.
 */
export async function arrangeWorld(sql: Sql): Promise<void> {
  await installWitness(sql)
  await insertServiceTerms(sql, TREASURY)
  for (const each of ORGANIZATIONS) await insertOrganization(sql, each)
  for (const each of ALL_DEPLOYMENTS) {
    const { chainId, network, environment, tokens } = each
    await upsertDeployment(sql, each)
    await sql`update deployments set contracts_match = true where chain_id = ${chainId}`
    const pairs = tokens.map(({ token, address, decimals, enabled }) => ({
      ...{ chainId, network, environment, token, decimals, enabled, tokenAddress: address },
    }))
    await syncPairs(sql, chainId, pairs)
  }
}

/** Inserts the rows that only histories with TRON need: the service's terms and the organizations' addresses. */
export async function arrangeTron(sql: Sql): Promise<void> {
  for (const environment of ENVIRONMENTS)
    await insertTrustedTerms(sql, { family: 'tron', environment, factory: TRON_FACTORY, treasury: TREASURY })
  for (const { id, keyId, partnerId, merchant, environment } of ORGANIZATIONS) {
    const others = JSON.stringify({ tron: merchant })
    await sql`update api_keys set other_payout_addresses = ${others}::text::jsonb where id = ${keyId}`
    await sql`
      insert into recipients (id, organization_id, environment, address, family, payout)
      values (${tronPartnerOf(partnerId)}, ${id}, ${environment}, ${PARTNER}, 'tron', false),
        (${`rc_wallet_tron_${id}`}, ${id}, ${environment}, ${REFUND_WALLET}, 'tron', true)`
  }
}

export function tronPartnerOf(partnerId: string): string {
  return `${partnerId}_tron`
}

/** Initial scopes of every key. */
const SCOPES = ['charges:read', 'charges:write', 'charges:split_write', 'sandbox:trigger']

/** Lets every key declare refunds through the API, in histories in which payers name the destinations. */
export async function arrangeClaims(sql: Sql): Promise<void> {
  await sql`update api_keys set scopes = scopes || array['refunds:write']`
}

async function insertOrganization(
  sql: Sql,
  { id, keyId, apiKey, webhookId, partnerId, merchant, environment, url }: Organization,
): Promise<void> {
  await sql`insert into organizations (id, name) values (${id}, ${id})`
  await insertPayoutKey(sql, { id: keyId, organizationId: id, environment, payoutAddress: merchant })
  await sql`update api_keys set key_hash = ${hashApiKey(apiKey)}, scopes = ${SCOPES} where id = ${keyId}`
  await sql`
    insert into recipients (id, organization_id, environment, address, family)
    values (${partnerId}, ${id}, ${environment}, ${PARTNER}, 'evm')`
  await sql`
    insert into recipients (id, organization_id, environment, address, family, payout)
    values (${`rc_wallet_${id}`}, ${id}, ${environment}, ${REFUND_WALLET}, 'evm', true)`
  const secret = createWebhookSecret()
  const webhook = {
    ...{ id: webhookId, url, organization_id: id, environment, events: ['*'], event_categories: [] },
    ...{ exclude_events: [], secret_sealed: seal(SEAL_KEYS.publicKey, secret), secret_hint: getHint(secret) },
  }
  await sql`insert into webhooks ${sql(webhook)}`
}
