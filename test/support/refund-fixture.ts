import { type Abi, type Hex, parseEther } from 'viem'
import { foundry } from 'viem/chains'
import usdcArtifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import type { CheckedChain } from '../../indexer/corroboration/checked-chain.ts'
import { createRefundWatch } from '../../indexer/refunds/refund-watch.ts'
import { processRefundRequests } from '../../indexer/refunds/refund-worker.ts'
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
import { chainAt } from './chain-at.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import {
  addressOf,
  CONFIRMATIONS,
  connectChain,
  type PaidCharge,
  type Stage,
  watchedDeployment,
} from './payout-fixture.ts'
import { recordingLog } from './recording-log.ts'

const NODE_TIMEOUT_MS = 3_000

/** Base URL of the checkout, whose host the payer's wallet shows. */
export const CHECKOUT = 'https://pay.example/pay'

/** The payer's own address, which the merchant names. */
export const PAYER = addressOf('0x90f79bf6eb2c4f870365e785982e1f101e93b906')

export type RefundDaemon = ReturnType<typeof createRefundDaemon>

/** Creates the parts of a daemon that handle refunds, over these nodes of the stage's chain. */
export function createRefundDaemon(
  stage: Stage,
  rpcUrls: readonly string[] = [stage.rpcUrl],
  sql = stage.daemonSql,
) {
  const connect = (url: string) => connectChain(url, NODE_TIMEOUT_MS)
  const chain = chainAt(rpcUrls, { connect })
  const checked = { deployment: watchedDeployment(stage), chain, sources: createChainSources(chain, 'evm') }
  return createRefundDaemonOn(checked, { owner: stage.sql, sql })
}

/** Creates these parts for one chain. `owner` inserts the requests, as the API would. */
export function createRefundDaemonOn(
  checked: CheckedChain,
  { owner, sql }: { readonly owner: Sql; readonly sql: Sql },
) {
  const { log, lines } = recordingLog()
  const recorder = {
    ...{ sql, log, now: () => new Date(), onEvents: () => undefined },
    ...{ checkoutBaseUrl: CHECKOUT, swapProvider: null },
  }
  const watch = createRefundWatch({ ...recorder, ...checked })
  const worker = {
    ...{ ...recorder, chains: [checked], minimumPayoutOf: () => MINIMUM_PAYOUT },
    check: (_chainId: number, id: string, txHash: Hex | null) => watch.check(id, txHash),
  }
  return {
    lines,
    /** Runs the watch of the chain until it has nothing left to read. */
    watch: async () => {
      for (let outcome = 'more'; outcome === 'more'; ) outcome = await watch.turn()
    },
    /** Sends a request as the API would, and returns the daemon's response. */
    request: async (chargeId: string, payload: RefundPayload): Promise<RefundResult | RequestError> => {
      const id = newId('req', Date.now())
      const request = { kind: 'refund', organizationId: 'org_1', chargeId, payload } as const
      await insertChargeRequest(owner, { id, apiRequestId: crypto.randomUUID(), ...request })
      await processRefundRequests(worker)
      const response = await findRequestResponse<RefundResult | RequestError>(owner, id)
      if (response === null) throw new Error('the request has no response')
      return response
    },
    /** Runs the worker without a request, which expires refunds. */
    work: () => processRefundRequests(worker),
  }
}

/** Builds a declaration: by default of one dollar, to the payer. */
function declarationOf(change: Partial<RefundDeclaration> = {}): RefundDeclaration {
  return {
    ...{ action: 'declare', amount: '1', token: null, network: null, from: null },
    ...{ destination: PAYER, claimHash: null, reason: 'other', idempotencyKey: newId('req', Date.now()) },
    ...change,
  }
}

/** Declares a refund and returns its id. */
export async function declare(
  daemon: RefundDaemon,
  { chargeId }: Pick<PaidCharge, 'chargeId'>,
  change: Partial<RefundDeclaration> = {},
): Promise<string> {
  const response = await daemon.request(chargeId, declarationOf(change))
  if (response.outcome !== 'done' || response.refundId === null) throw new Error(JSON.stringify(response))
  return response.refundId
}

/** Returns the wallet of the merchant who is paid by a charge. */
export function merchantOf({ split }: PaidCharge): Address {
  const [merchant] = split.recipients
  if (merchant === undefined) throw new Error('the charge has no recipient')
  return merchant
}

/** A transfer of the stage's token. */
type Transfer = {
  readonly from: Address
  readonly to?: Address
  readonly amount?: bigint
  readonly token?: Address
}

/** Sends a plain transfer from any account into the pool, and returns its hash. */
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

/** Gives the wallet of a charge's merchant money to refund, as a payout would. */
export async function fund(stage: Stage, charge: PaidCharge, amount = 50_000_000n): Promise<void> {
  await stage.callToken('mint', [merchantOf(charge), amount])
}

/** Mines until every transaction of the chain is at confirmation depth. */
export async function mineDeep(stage: Stage): Promise<void> {
  await stage.mine(CONFIRMATIONS)
}
