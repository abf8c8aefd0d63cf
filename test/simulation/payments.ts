import { keccak256, stringToHex } from 'viem'
import type { TransactionHint } from '../../shared/db/requests/check-requests.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { ARC_USDC } from './model/arc.ts'
import type { Transaction } from './model/chain.ts'
import { sendCoins } from './model/coins.ts'
import { distribute, transfer } from './model/contracts.ts'
import type { Spoken, State } from './model/state.ts'
import type { PlannedCharge, PlannedPayment } from './plan-types.ts'
import type { Scene } from './scene.ts'
import { KEEPER, PAYER, SECOND_PAYER, START_MS } from './world.ts'

type Payers = { readonly scheduler: Scheduler; readonly scenes: ReadonlyMap<number, Scene> }

/** Creates a transaction without a nonce. Its hash depends only on the name, which must be unique. */
export function act(name: string, run: Transaction['run'], from: Address = PAYER): Transaction {
  return { hash: hashOf(name), from, nonce: null, run }
}

function hashOf(name: string): Hex {
  return keccak256(stringToHex(name))
}

type Payments = { readonly charge: ChargeRecord; readonly planned: PlannedCharge; readonly index: number }

/**
 * Plans the payments to a charge, and a keeper's distribution of them.
 *
 * @returns for each payment, the hint of its check; `null` if the charge does not accept the payment's network
 */
export function planPayments(
  { scheduler, scenes }: Payers,
  { charge, planned, index }: Payments,
): readonly (TransactionHint | null)[] {
  const sinceMs = scheduler.nowMs() - START_MS
  const later = (atMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs: atMs - sinceMs, process: null, label, run })
  for (const [at, payment] of planned.payments.entries()) {
    const scene = scenes.get(payment.chainId)
    if (scene === undefined) continue
    const paid = payOf({ scene, payment, charge, amountMicro: planned.amountMicro, payer: payerOf(at) })
    later(payment.atMs, `payment ${index}/${at}`, () => scene.chain.send(act(`payment ${index}/${at}`, paid)))
  }
  if (planned.keeperAtMs !== null) planKeeper(planned.keeperAtMs)
  return planned.payments.map(({ chainId }, at) => {
    const scene = scenes.get(chainId)
    const isAccepted = charge.acceptedPayments.some(({ network }) => network === scene?.deployment.network)
    if (scene === undefined || !isAccepted) return null
    return { network: scene.deployment.network, txHash: hashOf(`payment ${index}/${at}`) }
  })

  /** Draws one of two payers for an escrow, because its refund goes to only one of them. */
  function payerOf(at: number): Address {
    if (charge.escrow === null) return PAYER
    return createRandomStream(scheduler.seed, `payer ${index}/${at}`).pick([PAYER, SECOND_PAYER])
  }

  function planKeeper(atMs: number): void {
    later(atMs, `keeper ${index}`, () => {
      for (const { chain, deployment } of scenes.values())
        for (const { address: token } of deployment.tokens)
          chain.send(
            act(
              `keeper ${index} ${deployment.chainId} ${token}`,
              (state) =>
                distribute(state, {
                  address: charge.splitAddress,
                  split: charge.splitTerms,
                  token,
                  distributor: KEEPER,
                }),
              KEEPER,
            ),
          )
    })
  }
}

type Paying = {
  readonly scene: Scene
  readonly payment: PlannedPayment
  readonly charge: ChargeRecord
  readonly amountMicro: bigint
  readonly payer: Address
}

/** Pays with Arc's coin, whose amounts need not be whole units of the token. */
function sendCoinsOf({ payment, charge, amountMicro, payer }: Omit<Paying, 'scene'>) {
  const { share, extraAtto = 0n, isDivided } = payment
  const coins = amountMicro * BigInt(Math.round(share * 1e6)) * 10n ** 6n + extraAtto
  const parts = isDivided ? [0n, coins / 3n, coins - coins / 3n] : [coins]
  return (state: State) =>
    parts.flatMap((part) => sendCoins(state, { from: payer, to: charge.address, coins: part }))
}

function payOf({ scene, payment, charge, amountMicro, payer }: Paying): (state: State) => readonly Spoken[] {
  const token = scene.deployment.tokens[payment.tokenIndex]
  if (token === undefined) throw new Error(`chain ${payment.chainId} has no token ${payment.tokenIndex}`)
  if (payment.extraAtto !== undefined && token.address === ARC_USDC)
    return sendCoinsOf({ payment, charge, amountMicro, payer })
  const amount =
    (amountMicro * BigInt(Math.round(payment.share * 1e6)) * 10n ** BigInt(token.decimals)) / 10n ** 12n + 1n
  const move = { token: token.address, from: payer, to: charge.address }
  return (state) =>
    payment.isDivided
      ? [
          ...transfer(state, { ...move, amount: 0n }),
          ...transfer(state, { ...move, amount: amount / 3n }),
          ...transfer(state, { ...move, amount: amount - amount / 3n }),
        ]
      : transfer(state, { ...move, amount })
}
