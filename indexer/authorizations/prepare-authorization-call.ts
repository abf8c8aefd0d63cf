import { BaseError, encodeFunctionData } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import { hasReverted } from '../../shared/chain/node-errors.ts'
import { queryFirst } from '../../shared/chain/nodes/query-nodes.ts'
import { type Call, revertOf } from '../../shared/chain/simulate.ts'
import { authorizationCall, veilSignature } from '../../shared/domain/authorization.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { AUTHORIZATION_GAS } from '../../shared/domain/plan-authorization.ts'
import { refuseAuthorization } from '../../shared/domain/require-authorizable.ts'
import { gasLimitOf } from '../relayer/quote-data-fee.ts'
import type { RelayerCall, RelayerQuote } from '../relayer/relayer-context.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { NotYetError } from './not-yet.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'

/**
 * The gas of each is fixed, for a hostile account's code burns all that it is given; and one that is estimated above this
 * is not sent. Measured: 103,256 for a payer's key and a new payee, 90,402 for a contract that signs (November 2026).
 */
const MOST_ESTIMATED = 150_000n
const GAS_LIMIT = BigInt(AUTHORIZATION_GAS)

/** What an authorization costs to carry out now, which is below our ceiling and in our account. */
export type AuthorizationQuote = { readonly quote: RelayerQuote; readonly gas: bigint }

/** What the nodes say of a call that they were shown. */
export type Simulated =
  /** It would be carried out now. */
  | { readonly type: 'good'; readonly call: RelayerCall }
  /** It reverts now, or takes more gas than we spend; which does not say that nobody else can carry it out. */
  | { readonly type: 'bad'; readonly why: string }

/**
 * Finds out everything about carrying out an authorization that can be known **without showing its signature to a node**: the
 * price of its call, by other bytes in the signature's place; and by an ordinary transfer of the same, which nobody signs,
 * whether its payer has the balance and the token lets him pay.
 *
 * What is refused here, and by `verifyAuthorization`, nobody has seen, so that its payer can be asked for another at once.
 *
 * @throws {NotYetError} while as many wait for a block as may, or the chain is before its window
 * @throws {AppError} `insufficient_balance`; `authorization_invalid` if the token lets him not pay; or
 * `signature_payment_unavailable` if gas is above our ceiling, or our account cannot pay it
 * `rpc_unavailable` if no node reports that it can be paid, and no quorum that it can not
 * @throws {BaseError} viem's, if no node answers
 */
export async function quoteAuthorization(
  context: AuthorizationContext,
  { asked, headTimestamp }: Pick<VerifiedAuthorization, 'asked' | 'headTimestamp'>,
): Promise<AuthorizationQuote> {
  const { relayer } = context
  const { token, signed } = asked
  if ((await relayer.countFree()) === 0) throw new NotYetError('as many wait for a block as may')
  if (headTimestamp <= signed.validAfter) throw new NotYetError('the chain is before its window')
  await rehearse(context, asked)
  const veiled = authorizationCall(token, { ...signed, signature: veilSignature(signed.signature) })
  const quote = await relayer.quote({ ...veiled, gas: GAS_LIMIT })
  const gas = gasLimitOf(GAS_LIMIT, quote.dataFee)
  await requireAffordable(context, quote, gas)
  return { quote, gas }
}

/**
 * Simulates the very call that would be signed, from the account that would sign it. **From here on nodes have the signature**,
 * and their operators can have it carried out until its window ends.
 *
 * One node that would carry it out is enough, because gas is all that it can cost; that it reverts needs a quorum.
 *
 * @throws {AppError} `rpc_unavailable` if too few nodes responded
 */
export async function simulateAuthorization(
  { chain, relayer }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  { quote, gas }: AuthorizationQuote,
): Promise<Simulated> {
  const call = { ...authorizationCall(token, signed), account: relayer.address, gas }
  const most = gasLimitOf(MOST_ESTIMATED, quote.dataFee)
  const why = await queryFirst(chain, {
    subject: 'the simulation of a signature',
    read: ({ client }) => findObjection(client, { call, most }),
    toText: (objection) => (objection === null ? 'good' : 'bad'),
    decides: (objection) => objection === null,
  })
  if (why !== null) return { type: 'bad', why }
  const { to, data } = call
  const validUntil = new Date(Number(signed.validBefore) * 1000)
  return { type: 'good', call: { to, data, gas, payoutId: null, validUntil } }
}

type Estimation = {
  readonly call: Call & { readonly gas: bigint }
  readonly most: bigint
}

/** Returns `null` if a node would carry the call out with the gas that we spend, otherwise why not. */
async function findObjection(client: ChainClient, { call, most }: Estimation): Promise<string | null> {
  try {
    const estimate = await client.estimateGas(call)
    return estimate > most ? `takes ${estimate} gas to check: must take at most ${most}` : null
  } catch (error) {
    const revert = error instanceof BaseError ? revertOf(error) : null
    if (revert === null) throw error
    return `is not taken by the token: ${revert.message}`
  }
}

/** One node that reports enough coin is enough; that the account is empty needs a quorum. */
async function requireAffordable(
  { chain, relayer }: AuthorizationContext,
  { fees, dataFee }: RelayerQuote,
  gas: bigint,
): Promise<void> {
  if (!fees.isMineable || !dataFee.isWithinBound)
    throw new AppError('signature_payment_unavailable', 'gas is above our ceiling now')
  const mostWei = gas * fees.maxFeePerGas + dataFee.besideWei
  const isEnough = await queryFirst(chain, {
    subject: 'the balance of our account',
    read: async ({ client }) => (await client.getBalance({ address: relayer.address })) >= mostWei,
    toText: String,
    decides: Boolean,
  })
  if (!isEnough) throw new AppError('signature_payment_unavailable', 'the account that pays the gas is empty')
}

/** The same payment as if its payer sent it himself: no signature is in it. */
export function ordinaryTransfer({ token, signed }: RequestedAuthorization): Call {
  const { from, to, value } = signed
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
  return { to: token, data, account: from }
}

/**
 * Simulates it as an ordinary transfer. If that reverts, the payer can correct the cause only if it is their balance.
 *
 * One node that would carry the transfer out is enough; what the payer is refused for needs a quorum.
 */
async function rehearse({ chain }: AuthorizationContext, asked: RequestedAuthorization): Promise<void> {
  const { token, signed } = asked
  const { from, value } = signed
  const balance = await queryFirst(chain, {
    subject: `a transfer of ${token}`,
    read: ({ client }) => findShortBalance(client, asked),
    toText: String,
    decides: (shortBalance) => shortBalance === null,
  })
  if (balance === null) return
  if (balance < value)
    throw new AppError('insufficient_balance', `${from} has ${balance} of ${token}, and signed for ${value}`)
  throw refuseAuthorization('from', `is ${from}, whom ${token} lets not pay`)
}

/** Returns `null` if the transfer would pass, otherwise the payer's balance. */
async function findShortBalance(client: ChainClient, asked: RequestedAuthorization): Promise<bigint | null> {
  const { token: address, signed } = asked
  try {
    await client.call(ordinaryTransfer(asked))
    return null
  } catch (error) {
    if (!hasReverted(error)) throw error
  }
  const functionName = 'balanceOf'
  return client.readContract({ address, abi: erc20Abi, functionName, args: [signed.from] })
}
