import { hexToBigInt } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { attoOf, findLoggedToken } from './logged-token.ts'
import { type Block, blocksFrom, type Receipt } from './model/chain.ts'
import type { Scene } from './scene.ts'

/** A transfer of an accepted token into or out of a Safe, at confirmation depth. */
type Flow = {
  readonly chainId: number
  readonly token: Address
  /** In the token's smallest unit, rounded down. */
  readonly amountAtomic: bigint
  readonly amountAtto: bigint
  readonly number: number
  readonly timestamp: number
}

export type SafeCredit = Flow & { readonly sender: Address }

export type SafeMove = Flow & {
  readonly to: Address
  readonly isIntoSplit: boolean
  readonly txHash: Hex
  /** Sender of the transaction. */
  readonly by: Address
}

/** The credits and moves of an escrow, as the chains show them. */
export type EscrowTruth = { readonly credits: readonly SafeCredit[]; readonly moves: readonly SafeMove[] }

/** An order for which the service has signed a transaction. */
export type SignedOrder = {
  readonly action: EscrowAction
  readonly chainId: number
  readonly tokenAddress: Address
  readonly destination: Address
  readonly amountAtomic: bigint
  readonly afterBlock: number
}

type Scenes = Iterable<Scene>

/** Reads the credits and moves of a Safe at confirmation depth from the chains. */
export function readEscrow(charge: ChargeRecord, scenes: Scenes): EscrowTruth {
  const flows = [...scenes].flatMap((scene) => {
    const tip = scene.chain.tip()
    return blocksFrom(tip, 1)
      .filter(({ number }) => number <= tip.number - scene.deployment.confirmations + 1)
      .flatMap((block) => block.receipts.flatMap((receipt) => flowsIn(receipt, { block, scene, charge })))
  })
  return {
    credits: flows.flatMap(({ credit }) => credit ?? []),
    moves: flows.flatMap(({ move }) => move ?? []),
  }
}

type Found = { readonly credit?: SafeCredit; readonly move?: SafeMove }

type Place = { readonly block: Block; readonly scene: Scene; readonly charge: ChargeRecord }

function flowsIn(
  { transaction, logs }: Receipt,
  { block, scene: { deployment }, charge }: Place,
): readonly Found[] {
  const { chainId, environment, network } = deployment
  if (environment !== charge.environment) return []
  const accepted = charge.acceptedPayments.map(pairKey)
  const { number, timestamp } = block
  const { address: safe, splitAddress } = charge
  return logs.flatMap(({ address, topics, data }): readonly Found[] => {
    const token = findLoggedToken(deployment, address)
    if (token === undefined || topics[0] !== TRANSFER_TOPIC) return []
    if (!accepted.includes(pairKey({ token: token.token, network }))) return []
    const [sender, to, amountAtto] = [
      addressIn(topics[1]),
      addressIn(topics[2]),
      attoOf(token, hexToBigInt(data)),
    ]
    if (amountAtto === 0n || sender === to) return []
    const amountAtomic = amountAtto / 10n ** BigInt(18 - token.decimals)
    const flow = { chainId, token: token.address, amountAtomic, amountAtto, number, timestamp }
    const { hash: txHash, from: by } = transaction
    if (sender === safe) return [{ move: { ...flow, to, by, txHash, isIntoSplit: to === splitAddress } }]
    return to === safe && sender !== splitAddress ? [{ credit: { ...flow, sender } }] : []
  })
}

/** Lists the credits of each sender who paid at least one percent of the charge's amount in total on the same pair. */
export function listWorthyCredits(
  { credits }: Pick<EscrowTruth, 'credits'>,
  { amountMicro }: Pick<ChargeRecord, 'amountMicro'>,
): readonly SafeCredit[] {
  const keyOf = ({ chainId, token, sender }: SafeCredit) => `${chainId}/${token}/${sender}`
  const sums = new Map<string, bigint>()
  for (const credit of credits) sums.set(keyOf(credit), (sums.get(keyOf(credit)) ?? 0n) + credit.amountAtto)
  return credits.filter((credit) => (sums.get(keyOf(credit)) ?? 0n) * 100n >= amountMicro * 10n ** 12n)
}

/**
 * Whether a move executes an order: its transaction is in a block after `afterBlock` and moved exactly the ordered
 * amount, at least a part of it to the destination.
 */
export function isExecuted(order: SignedOrder, moves: readonly SafeMove[], { txHash }: SafeMove): boolean {
  const { chainId, tokenAddress, destination, amountAtomic, afterBlock } = order
  const together = moves.filter((move) => move.txHash === txHash && move.token === tokenAddress)
  return (
    together.reduce((sum, move) => sum + move.amountAtomic, 0n) === amountAtomic &&
    together.every((move) => move.chainId === chainId && move.number > afterBlock) &&
    together.some(({ to }) => to === destination)
  )
}

export type TrueEnd = { readonly action: EscrowAction; readonly isOrdered: boolean }

/**
 * Returns how these credits and moves, which are evaluated second by second, have ended an escrow; `null` if they have
 * not. An executed order ends an escrow, and so do moves of at least 99 percent of the credits that are not dust
 * (decisions 4.4).
 */
export function findTrueEnd(
  truth: EscrowTruth,
  charge: ChargeRecord,
  orders: readonly SignedOrder[],
): TrueEnd | null {
  const { moves } = truth
  for (const second of [...new Set(moves.map(({ timestamp }) => timestamp))].toSorted((a, b) => a - b)) {
    const until = <Each extends Flow>(flows: readonly Each[]) =>
      flows.filter(({ timestamp }) => timestamp <= second)
    const received = sumOf(listWorthyCredits({ credits: until(truth.credits) }, charge))
    if (received === 0n) continue
    const now = moves.filter(({ timestamp }) => timestamp === second)
    const order = orders.find((each) => now.some((move) => isExecuted(each, moves, move)))
    if (order !== undefined) return { action: order.action, isOrdered: true }
    const left = sumOf(until(moves))
    if (left * 100n < received * 99n) continue
    const reached = sumOf(until(moves).filter(({ isIntoSplit }) => isIntoSplit))
    return { action: reached * 100n >= left * 99n ? 'release' : 'refund', isOrdered: false }
  }
  return null
}

/**
 * Lists the ends that an observer can find who sees each chain only up to some block. Chains are confirmed at different
 * times, so the observer can see a move before an earlier credit on another chain.
 */
export function listPossibleEnds(
  truth: EscrowTruth,
  charge: ChargeRecord,
  orders: readonly SignedOrder[],
): readonly TrueEnd[] {
  const all = [...truth.credits, ...truth.moves]
  const chainIds = [...new Set(all.map(({ chainId }) => chainId))]
  const views = chainIds.reduce<readonly ReadonlyMap<number, number>[]>(
    (partial, chainId) => {
      const numbers = new Set(all.filter((flow) => flow.chainId === chainId).map(({ number }) => number))
      return partial.flatMap((view) => [0, ...numbers].map((number) => new Map([...view, [chainId, number]])))
    },
    [new Map()],
  )
  return views.flatMap((view) => {
    const isSeen = ({ chainId, number }: Flow) => number <= (view.get(chainId) ?? 0)
    const seen = { credits: truth.credits.filter(isSeen), moves: truth.moves.filter(isSeen) }
    return findTrueEnd(seen, charge, orders) ?? []
  })
}

function sumOf(flows: readonly Flow[]): bigint {
  return flows.reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
}

function addressIn(topic: Hex = '0x'): Address {
  return `0x${topic.slice(-40)}` as Address
}
