import type { Pair } from '../../shared/domain/networks.ts'
import { balanceOf } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { mapAtMost } from '../support/map-at-most.ts'
import { requestRpc } from '../support/request-rpc.ts'
import type { Endpoint } from './clients/endpoint.ts'
import type { Shop, ShopCharge } from './clients/shop.ts'
import { CONFIRMATIONS, type Stage } from './stage.ts'

type Context = {
  readonly stage: Stage
  readonly shops: readonly Shop[]
  readonly endpoints: readonly Endpoint[]
}

type FinalFields = {
  readonly status: string
  readonly settlementStatus: string | null
  readonly acceptedPayments: readonly Pair[]
}

const INTERVAL_MS = 3_000
const AT_ONCE = 8

/** Blocks to wait after the last payouts are confirmed, until their webhooks arrive. */
const LAST_BLOCKS = 10
const BLOCKS_WITHIN_MS = 120_000

/**
 * Waits until every charge is final, no accepted token is left in a split, and every delivery has succeeded. Returns
 * `null`, or the error message of a timeout. Does not throw, because the checker reports unfinished charges.
 */
export async function untilQuiet(context: Context, timeoutMs: number): Promise<string | null> {
  const { stage, shops, endpoints } = context
  const open = new Map(shops.map((shop) => [shop, new Set(shop.charges)]))
  const isQuiet = async () => {
    for (const [shop, charges] of open) await mapAtMost(AT_ONCE, [...charges], (one) => closeFinal(shop, one))
    const waiting = await Promise.all(endpoints.map((endpoint) => endpoint.retryDeliveries()))
    return [...open.values()].every(({ size }) => size === 0) && waiting.every((count) => count === 0)
  }
  const closeFinal = async (shop: Shop, charge: ShopCharge) => {
    const response = await shop.organization.send(`GET /v1/charges/${charge.id}`)
    if (response?.status === 200 && (await isDone(stage, charge, response.json as FinalFields)))
      open.get(shop)?.delete(charge)
  }
  const what = 'every charge to be final, paid out and reported'
  const problem = await waitFor(isQuiet, { what, timeoutMs, intervalMs: INTERVAL_MS }).then(
    () => null,
    (error: Error) => error.message,
  )
  await untilLater(stage)
  return problem
}

async function isDone({ devnet }: Stage, { address }: ShopCharge, charge: FinalFields): Promise<boolean> {
  const { status, settlementStatus, acceptedPayments } = charge
  if (status === 'pending' || status === 'partially_paid') return false
  if (settlementStatus !== 'completed' && !(status === 'expired' && settlementStatus === null)) return false
  const balances = await Promise.all(
    acceptedPayments.map((pair) => balanceOf(devnet.description, { ...pair, account: address })),
  )
  return balances.every((balance) => balance === 0n)
}

async function untilLater({ networks }: Stage): Promise<void> {
  await Promise.all(
    networks.map(async ({ network, rpcUrl }) => {
      const read = async () => Number(await requestRpc(rpcUrl, 'eth_blockNumber', []))
      const last = (await read()) + CONFIRMATIONS + LAST_BLOCKS
      const what = `block ${last} of ${network}`
      await waitFor(async () => (await read()) >= last, { what, timeoutMs: BLOCKS_WITHIN_MS })
    }),
  )
}
