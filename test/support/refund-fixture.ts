import { type Abi, type Hex, parseEther } from 'viem'
import { foundry } from 'viem/chains'
import usdcArtifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import type { CheckedChain } from '../../indexer/corroboration/checked-chain.ts'
import { expireRefunds } from '../../indexer/refunds/expire-refunds.ts'
import { createRefundWatch } from '../../indexer/refunds/refund-watch.ts'
import { createRefundWorker } from '../../indexer/refunds/refund-worker.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type {
  RefundDeclaration,
  RefundPayload,
  RefundResult,
} from '../../shared/db/refunds/refund-requests.ts'
import {
  findRequestResponse,
  insertChargeRequest,
  type RequestError,
} from '../../shared/db/requests/charge-requests.ts'
import type { Address } from '../../shared/domain/address.ts'
import { newId } from '../../shared/domain/ids.ts'
import { createLoop } from '../../shared/runtime/poll-loop.ts'
import { chainAt } from './chain-at.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import {
  addressOf,
  CONFIRMATIONS,
  connectChain,
  NODE_TIMEOUT_MS,
  type PaidCharge,
  type Stage,
  watchedDeployment,
} from './payout-fixture.ts'
import { recordingLog } from './recording-log.ts'

/**
 * Number of blocks to mine until an earlier block is read a second time. More than enough: the second reading takes
 * place 600 s, or 600 blocks of the stage's chain, after confirmation depth.
 */
export const BLOCKS_UNTIL_REREAD = 700

/** Base URL of the checkout, whose host the payer's wallet shows. */
export const CHECKOUT = 'https://pay.example/pay'

/** The payer's own address, which the merchant names as the destination of refunds. */
export const PAYER = addressOf('0x90f79bf6eb2c4f870365e785982e1f101e93b906')

export type RefundDaemon = ReturnType<typeof createRefundDaemon>

/**
 * Creates the parts of a daemon that handle refunds, with these nodes of the stage's chain.
 *
 * @param options.trustsFirst - whether an operator has let the first node decide alone
 */
export function createRefundDaemon(
  stage: Stage,
  rpcUrls: readonly string[] = [stage.rpcUrl],
  { sql = stage.daemonSql, trustsFirst = false, onlyToPayers = false } = {},
) {
  const connect = (url: string) => connectChain(url, NODE_TIMEOUT_MS)
  const nodes = chainAt(rpcUrls, { connect })
  const trusted = nodes.nodes[0]?.name ?? null
  const chain = trustsFirst ? { ...nodes, getTrusted: () => trusted } : nodes
  const checked = { deployment: watchedDeployment(stage), chain, sources: createChainSources(chain, 'evm') }
  return createRefundDaemonOn(checked, { owner: stage.sql, sql, onlyToPayers })
}

/** Creates the parts of a daemon that handle refunds, for one chain. `owner` inserts the requests, as the API would. */
export function createRefundDaemonOn(
  checked: CheckedChain,
  { owner, sql, onlyToPayers }: { readonly owner: Sql; readonly sql: Sql; readonly onlyToPayers?: boolean },
) {
  const { log, lines } = recordingLog()
  const recorder = {
    ...{ sql, log, now: () => new Date(), onEvents: () => undefined },
    ...{ checkoutBaseUrl: CHECKOUT, swapProvider: null },
  }
  const watch = createRefundWatch({ ...recorder, ...checked })
  const worker = createRefundWorker({
    ...{ ...recorder, chains: [checked], minimumPayoutOf: () => MINIMUM_PAYOUT, onFree: () => undefined },
    onlyToPayers,
    check: (_chainId: number, id: string, txHash: Hex | null) => watch.check(id, txHash),
  })
  return {
    lines,
    /** Runs the refund watch until no block is left to read. */
    watch: async () => {
      for (let outcome = 'more'; outcome === 'more'; ) outcome = await watch.turn()
    },
    /** Creates the daemon's loop that responds to the API's requests. */
    createLoop: () => createLoop({ name: 'refunds', intervalMs: 20, turn: worker.turn, log }),
    /** Sends a request as the API would, and returns the daemon's response. */
    request: async (chargeId: string, payload: RefundPayload): Promise<RefundResult | RequestError> => {
      const id = newId('req', Date.now())
      const request = { kind: 'refund', organizationId: 'org_1', chargeId, payload } as const
      await insertChargeRequest(owner, { id, apiRequestId: crypto.randomUUID(), ...request })
      await worker.turn()
      await worker.settle()
      const response = await findRequestResponse<RefundResult | RequestError>(owner, id)
      if (response === null) throw new Error('the request has no response')
      return response
    },
    /** Expires the refunds whose deadline has passed. */
    expire: () => expireRefunds(recorder),
  }
}

/** Builds a refund declaration; by default one dollar to the payer. */
function declarationOf(change: Partial<RefundDeclaration> = {}): RefundDeclaration {
  return {
    ...{ action: 'declare', amount: '1', token: null, network: null, from: null },
    ...{ destination: PAYER, claimHash: null, reason: 'other', idempotencyKey: newId('req', Date.now()) },
    ...change,
  }
}

/**
 * Declares a refund and returns its id.
 *
 * @throws {Error} with the daemon's response, if it rejects the refund
 */
export async function declare(
  daemon: RefundDaemon,
  { chargeId }: Pick<PaidCharge, 'chargeId'>,
  change: Partial<RefundDeclaration> = {},
): Promise<string> {
  const response = await daemon.request(chargeId, declarationOf(change))
  if (response.outcome !== 'done' || response.refundId === null) throw new Error(JSON.stringify(response))
  return response.refundId
}

/** Returns the wallet of a charge's merchant. */
export function merchantOf({ split }: PaidCharge): Address {
  const [merchant] = split.recipients
  if (merchant === undefined) throw new Error('the charge has no recipient')
  return merchant
}

/** A transfer, by default of one dollar in the stage's token to the payer. `amount` is in atomic units. */
type Transfer = {
  readonly from: Address
  readonly to?: Address
  readonly amount?: bigint
  readonly token?: Address
}

/** Submits a plain transfer from any account, and returns its hash without waiting until it is mined. */
export async function send(
  { node, wallet, token: usdc }: Stage,
  { from, to = PAYER, amount = 1_000_000n, token = usdc }: Transfer,
): Promise<Hex> {
  await node.impersonateAccount({ address: from })
  await node.setBalance({ address: from, value: parseEther('1') })
  return wallet.writeContract({
    ...{ account: from, address: token, abi: usdcArtifact.abi as Abi, chain: foundry },
    ...{ functionName: 'transfer', args: [to, amount], gas: 200_000n },
  })
}

/** Mints tokens to the wallet of a charge's merchant, as if a payout had sent them. */
export async function fund(stage: Stage, charge: PaidCharge, amount = 50_000_000n): Promise<void> {
  await stage.callToken('mint', [merchantOf(charge), amount])
}

/** Moves a refund's deadline into the past of the database's clock and of the chain's clock, which might lag. */
export async function passDeadline(stage: Stage, id: string): Promise<void> {
  const { timestamp } = await stage.node.getBlock()
  await stage.sql`
    update refunds set created_at = now() - interval '31 days',
      expires_at = least(now(), to_timestamp(${Number(timestamp)})) where id = ${id}`
}

/** Passes a refund's deadline, mines until the blocks up to it can be read twice, and runs the watch and the expiry. */
export async function expire(stage: Stage, daemon: RefundDaemon, id: string): Promise<void> {
  await passDeadline(stage, id)
  await stage.mine(BLOCKS_UNTIL_REREAD)
  await daemon.watch()
  await daemon.expire()
}

/** Mines until every transaction of the chain is at confirmation depth. */
export async function mineDeep(stage: Stage): Promise<void> {
  await stage.mine(CONFIRMATIONS)
}
