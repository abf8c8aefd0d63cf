import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { ARC_USDC, COINS_PER_UNIT } from './model/arc.ts'
import { sendCoins } from './model/coins.ts'
import { distribute, transfer } from './model/contracts.ts'
import { createSafe, executeSigned, moveFromSafe, type SafeTransfer } from './model/safe.ts'
import { balanceIn, type Spoken, type State } from './model/state.ts'
import { act } from './payments.ts'
import type { DirectRecipient, PlannedDust, PlannedEscrow, PlannedMove } from './planned-escrow.ts'
import type { Scene } from './scene.ts'
import { PAYER, RELEASER, STRANGER } from './world.ts'

type Movers = { readonly scheduler: Scheduler; readonly scenes: ReadonlyMap<number, Scene> }

/**
 * Plans on-chain actions without the service: the releaser's moves out of the Safe of a charge, and a stranger's
 * distribution with the Safe as the distributor.
 */
export function planMoves(
  { scheduler, scenes }: Movers,
  { charge, escrow, index }: { charge: ChargeRecord; escrow: PlannedEscrow; index: number },
): void {
  const later = (delayMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs, process: null, label, run })
  const everywhere = (
    name: string,
    from: Address,
    run: (state: State, token: Address) => readonly Spoken[],
  ) => {
    for (const { chain, deployment } of scenes.values())
      for (const { address: token } of deployment.tokens)
        chain.send(act(`${name} ${deployment.chainId} ${token}`, (state) => run(state, token), from))
  }
  for (const [at, move] of escrow.moves.entries())
    later(move.afterMs, `releaser moves ${index}/${at}`, () =>
      everywhere(`move ${index}/${at}`, RELEASER, (state, token) =>
        moveDirectly(state, { charge, token, move }),
      ),
    )
  if (escrow.ownMoneyAfterMs !== null)
    later(escrow.ownMoneyAfterMs, `own money of ${index}`, () =>
      everywhere(`own money of ${index}`, STRANGER, (state, token) =>
        distribute(state, {
          ...{ address: charge.splitAddress, split: charge.splitTerms, token, distributor: charge.address },
        }),
      ),
    )
}

type DirectMove = { readonly charge: ChargeRecord; readonly token: Address; readonly move: PlannedMove }

/** Moves a part of a Safe's balance as its owner, after creating the Safe if necessary. */
function moveDirectly(state: State, { charge, token, move }: DirectMove): readonly Spoken[] {
  const { address: safe } = charge
  const amount = (balanceIn(state, token, safe) * BigInt(move.permille)) / 1000n
  if (amount === 0n) return []
  ensureSafe(state, charge)
  return moveFromSafe(state, { safe, token, to: recipientOf(move.to, charge), amount })
}

function recipientOf(to: DirectRecipient, { address, splitAddress }: ChargeRecord): Address {
  return { split: splitAddress, payer: PAYER, releaser: RELEASER, safe: address }[to]
}

function ensureSafe(state: State, { id, address }: ChargeRecord): void {
  if (!state.safes.has(address)) createSafe(state, { owner: RELEASER, salt: chargeSalt(id) })
}

/** Submits a signed transfer out of a Safe to the chain, as any account that has the signature can. */
export function submitAsStranger({ chain }: Scene, { charge, move, signature, name }: Submission): void {
  const run = (state: State) => {
    ensureSafe(state, charge)
    return executeSigned(state, { ...move, signature }, chain)
  }
  chain.send(act(name, run, STRANGER))
}

type Submission = {
  readonly charge: ChargeRecord
  readonly move: SafeTransfer
  readonly signature: Hex
  readonly name: string
}

export function planDust(
  { scheduler, scenes }: Movers,
  { charge, dust, index }: { charge: ChargeRecord; dust: readonly PlannedDust[]; index: number },
): void {
  for (const [at, each] of dust.entries()) {
    const scene = scenes.get(each.chainId)
    if (scene === undefined) continue
    const leftMs = charge.expiresAt.getTime() - scheduler.nowMs()
    const delayMs = each.afterMs < 0 ? Math.max(1, leftMs + each.afterMs) : each.afterMs
    const label = `dust ${index}/${at}`
    const run = () => sendDust(scene, { charge, dust: each, name: label })
    scheduler.later({ delayMs, process: null, label, run })
  }
}

type Sending = {
  readonly charge: ChargeRecord
  readonly dust: Omit<PlannedDust, 'afterMs'>
  readonly name: string
}

/** Sends dust to a charge: one unit, or just less than one percent of its amount. On Arc, sends the coin. */
export function sendDust({ chain, deployment }: Scene, { charge, dust, name }: Sending): void {
  const token = deployment.tokens[dust.tokenIndex]
  if (token === undefined) return
  const percent = (charge.amountMicro * 10n ** BigInt(token.decimals)) / 10n ** 8n
  const amount = dust.isOneUnit ? 1n : percent - 1n
  const to = dust.isToSplit ? charge.splitAddress : charge.address
  const run = (state: State) =>
    token.address === ARC_USDC
      ? sendCoins(state, { from: STRANGER, to, coins: dust.isOneUnit ? 1n : amount * COINS_PER_UNIT - 1n })
      : transfer(state, { token: token.address, from: STRANGER, to, amount })
  chain.send(act(name, run, STRANGER))
}
