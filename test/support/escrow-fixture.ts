import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, createTestClient, createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { foundry } from 'viem/chains'
import { prepareEscrow } from '../../api/charges/escrow/prepare-escrow.ts'
import usdcArtifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import usdtArtifact from '../../contracts/artifacts/TestUSDT.json' with { type: 'json' }
import { createEscrowWorker } from '../../indexer/escrow/escrow-worker.ts'
import { createEvmRelayer, type EvmRelayer } from '../../indexer/relayer/evm-relayer.ts'
import { createPayoutMetrics } from '../../indexer/relayer/payout-metrics.ts'
import type { RelayerTerms } from '../../indexer/relayer/relayer-context.ts'
import type { EscrowResult } from '../../shared/db/escrow/escrow-requests.ts'
import { findRequestResponse, insertChargeRequest } from '../../shared/db/requests/charge-requests.ts'
import type { Address } from '../../shared/domain/address.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import { DATA_FEES } from '../../shared/domain/data-fees.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { predictSafeAddress } from '../../shared/domain/escrow-address.ts'
import { escrowTypedData } from '../../shared/domain/escrow-transaction.ts'
import { newId } from '../../shared/domain/ids.ts'
import { type Percent, parsePercent } from '../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { createMetrics } from '../../shared/runtime/metrics.ts'
import { ACCOUNTS, type DevnetAccount, toSigner } from '../devnet/accounts.ts'
import { startAnvil } from '../devnet/anvil.ts'
import { deployContracts } from '../devnet/deploy.ts'
import { chainAt } from './chain-at.ts'
import type { Call } from './escrow-scenario.ts'
import { connectForTest, createTestDatabase } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { insertPayoutKey, insertServiceTerms } from './trusted-terms.ts'

const TOKEN_ABI = { TestUSDC: usdcArtifact.abi as Abi, TestUSDT: usdtArtifact.abi as Abi }

const CHAIN_ID = 31337
const CONFIRMATIONS = 3

/** An escrow charge that was paid on the chain and credited in the database. */
export type PaidEscrowCharge = {
  readonly id: string
  readonly safe: Address
  readonly split: Address
  readonly merchant: Address
}

/** Bounds far above the gas price of the chain. */
const GAS_BOUNDS = { maxFeePerGasWei: 200_000_000_000n, maxTipPerGasWei: 50_000_000_000n }

type WorkerOptions = {
  readonly rpcUrl?: string
  /** URLs of several nodes, of which two must agree. Overrides `rpcUrl`. */
  readonly rpcUrls?: readonly string[]
  readonly maxGas?: bigint
  readonly gasBounds?: RelayerTerms['gasBounds']
  readonly dataFee?: RelayerTerms['dataFee']
  /** Replaces the relayer's broadcast, to simulate a process that is killed while it broadcasts. */
  readonly broadcast?: EvmRelayer['broadcast']
}

export type EscrowFixture = Awaited<ReturnType<typeof createEscrowFixture>>

/**
 * Starts a chain with the devnet's contracts that mines on demand, and creates a database with its deployment.
 *
 * @param contract - the contract used as USDC; TestUSDT can deduct a fee from transfers
 */
export async function createEscrowFixture(contract: 'TestUSDC' | 'TestUSDT' = 'TestUSDC') {
  const directory = await mkdtemp(join(tmpdir(), 'escrow-'))
  const anvil = await startAnvil({ name: 'chain', chainId: CHAIN_ID, directory })
  const [usdc] = await deployContracts(anvil, [{ token: 'USDC', contract, decimals: 6 }])
  const token = (usdc?.address ?? '').toLowerCase() as Address
  const node = createTestClient({ chain: foundry, mode: 'anvil', transport: http(anvil.rpcUrl) }).extend(
    publicActions,
  )
  await node.setAutomine(false)
  const wallet = createWalletClient({ chain: foundry, transport: http(anvil.rpcUrl) })
  const database = await createTestDatabase()
  const { sql } = database
  const daemonSql = connectForTest(database.url.daemon)
  const apiSql = connectForTest(database.url.api)
  await insertDeployment()

  /** Calls a contract from one of the devnet's accounts, and mines the transaction immediately. */
  async function write(from: DevnetAccount, call: Call): Promise<Hex> {
    const hash = await wallet.writeContract({
      ...call,
      account: toSigner(from),
      chain: foundry,
      gas: 5_000_000n,
    })
    await node.mine({ blocks: 1 })
    const { status } = await node.getTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${call.functionName} reverted`)
    return hash
  }

  const callToken = (functionName: string, ...args: readonly unknown[]) =>
    write(ACCOUNTS.payer, { address: token, abi: TOKEN_ABI[contract], functionName, args })

  async function insertDeployment(): Promise<void> {
    await sql`insert into organizations (id, name) values ('org_1', 'Merchant')`
    await insertServiceTerms(sql, ACCOUNTS.treasury.address)
    await sql`
      insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, quorum)
      values (${CHAIN_ID}, 'base', 'live', 'evm', ${CONFIRMATIONS}, 1000, 1)`
    await sql`
      insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
      values (${CHAIN_ID}, 'base', 'live', 'USDC', ${token}, 6, true)`
  }

  /** Pays 10 dollars into the Safe of a new charge, and credits them as the daemon would. */
  async function payEscrow(): Promise<PaidEscrowCharge> {
    const id = newId('ch', Date.now())
    const merchant = `0x${chargeSalt(`merchant of ${id}`).slice(-40)}` as Address
    const { split, splitAddress } = splitOf(id, merchant)
    const releaser = lower(ACCOUNTS.releaser.address)
    const safe = predictSafeAddress({ releaser, saltNonce: chargeSalt(id) })
    const key = { organizationId: 'org_1', environment: 'live', payoutAddress: merchant } as const
    await insertPayoutKey(sql, { id: `key_${id}`, ...key })
    await callToken('mint', safe, 10_000_000n)
    await sql`
      insert into charges (id, organization_id, api_key_id, environment, family, amount_micro, fee_payer,
        fee_percent, escrow_fee_percent, accepted_payments, accepted_chains, address, split_address, split_terms, split_recipients, escrow_releaser,
        request_hash, created_at, expires_at, last_activity_at, status, confirmed_at, received_atto, on_time_atto)
      values (${id}, 'org_1', ${`key_${id}`}, 'live', 'evm', 10000000, 'merchant', '1.5', '0.5', ${['USDC/base']}, ${[CHAIN_ID]}, ${safe},
        ${splitAddress}, ${sql.json({ ...split, factory: SPLIT_FACTORY } as never)}, '[]', ${releaser}, '\\x00', now(),
        now() + interval '1 hour', now(), 'confirmed', now(), 10000000000000000000, 10000000000000000000)`
    await sql`
      insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
        value_atomic, amount_atto, accepted, inclusion, block_number, credited_at, on_time)
      values (${id}, 'base', 'USDC', 'contract_watcher', ${CHAIN_ID}, ${token}, ${id}, 0,
        ${lower(ACCOUNTS.payer2.address)}, 10000000, 10000000000000000000, true, 'included', 1, now(), true)`
    return { id, safe, split: splitAddress, merchant }
  }

  /** Prepares and signs an order, and inserts its request. Returns the request's id. */
  const order = async (charge: PaidEscrowCharge, action: EscrowAction): Promise<string> => {
    const { signature, amountAtomic } = await prepareAndSign(charge, action)
    return insertRequest(charge, { action, signature, amountAtomic })
  }

  /** Returns the releaser's signature of the transaction that the API prepares. */
  const sign = async (charge: PaidEscrowCharge, action: EscrowAction): Promise<Hex> =>
    (await prepareAndSign(charge, action)).signature

  async function prepareAndSign(charge: PaidEscrowCharge, action: EscrowAction) {
    const chain = chainAt([anvil.rpcUrl])
    const { transaction } = await prepareEscrow(
      { sql: apiSql, chainOf: () => chain },
      { chargeId: charge.id, action },
    )
    const signature = await toSigner(ACCOUNTS.releaser).signTypedData(escrowTypedData(transaction) as never)
    return { signature, amountAtomic: String(transaction.amountAtomic) }
  }

  /** Inserts the API's request for the daemon, with any content, even such as only a compromised API would write. */
  async function insertRequest(
    charge: PaidEscrowCharge,
    { action, signature, ...rest }: { action: EscrowAction; signature: string; amountAtomic?: string },
  ): Promise<string> {
    const id = newId('req', Date.now())
    const payload = { chainId: CHAIN_ID, action, signature, ...rest }
    const request = {
      id,
      kind: 'escrow_order',
      organizationId: 'org_1',
      chargeId: charge.id,
      apiRequestId: randomUUID(),
      payload,
    } as const
    if (!(await insertChargeRequest(apiSql, request))) throw new Error('another order is pending')
    return id
  }

  function cast(options: WorkerOptions = {}) {
    const { log, lines } = recordingLog()
    const rpcUrls = options.rpcUrls ?? [options.rpcUrl ?? anvil.rpcUrl]
    const deps = { sql: daemonSql, log, clock: () => new Date() }
    const relayer = createEvmRelayer({
      ...deps,
      nodes: chainAt(rpcUrls, { chainId: CHAIN_ID }),
      account: toSigner(ACCOUNTS.relayer),
      duty: 'payouts',
      metrics: createPayoutMetrics(createMetrics({ service: 'test' }))(CHAIN_ID),
      terms: {
        ...{ confirmations: CONFIRMATIONS, gasBounds: options.gasBounds ?? GAS_BOUNDS, maxUnmined: 8 },
        dataFee: options.dataFee ?? DATA_FEES.base,
        ...{ rebroadcastSeconds: 30, replaceAfterSeconds: 180, emptyAfterSeconds: 300 },
      },
    })
    const { turn } = createEscrowWorker({
      ...{ ...deps, chain: chainAt(rpcUrls) },
      relayer: options.broadcast === undefined ? relayer : { ...relayer, broadcast: options.broadcast },
      maxGas: options.maxGas ?? 2_000_000n,
    })
    return { turn, relayer, lines }
  }

  return {
    ...{ node, sql, token, order, sign, insertRequest, cast, payEscrow, callToken, write },
    daemonSql,
    chainId: CHAIN_ID,
    rpcUrl: anvil.rpcUrl,
    mine: (blocks = 1) => node.mine({ blocks }),
    answerOf: (requestId: string): Promise<EscrowResult | null> => findRequestResponse(apiSql, requestId),
    transactions: () => sql<{ txHash: Hex; status: string }[]>`
      select tx_hash, status from relayer_transactions order by nonce, created_at`,
    statusOf: async (requestId: string) => {
      const [row] = await sql<{ status: string }[]>`
        select status from escrow_orders where request_id = ${requestId}`
      return row?.status ?? null
    },
    balanceOf: (account: Address) =>
      node.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
    close: async () => {
      await Promise.all([daemonSql.end(), apiSql.end()])
      await database.drop()
      await anvil.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function splitOf(chargeId: string, merchant: Address) {
  const result = allocate({
    feePercent: percentOf('1.5'),
    distributorFeePercent: percentOf('0.1'),
    merchant,
    treasury: lower(ACCOUNTS.treasury.address),
    splitRecipients: [],
  })
  if (!result.ok) throw new Error(result.code)
  const { split } = result
  const [factory, implementation] = [SPLIT_FACTORY, SPLIT_IMPLEMENTATION]
  return {
    split,
    splitAddress: predictSplitAddress({ factory, implementation, split, salt: chargeSalt(chargeId) }),
  }
}

function percentOf(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: 4 })
  if (percent === null) throw new Error(`${text} is not a percentage`)
  return percent
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
