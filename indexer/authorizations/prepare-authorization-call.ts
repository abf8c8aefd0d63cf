import { BaseError, encodeFunctionData } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { hasReverted } from '../../shared/chain/node-errors.ts'
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
 * @throws {BaseError} viem's, if no node answers
 */
export async function quoteAuthorization(
  context: AuthorizationContext,
  asked: RequestedAuthorization,
): Promise<AuthorizationQuote> {
  const { client, relayer } = context
  const { token, signed } = asked
  if ((await relayer.countFree()) === 0) throw new NotYetError('as many wait for a block as may')
  const { timestamp } = await client.getBlock()
  if (timestamp <= signed.validAfter) throw new NotYetError('the chain is before its window')
  await rehearse(context, asked)
  const veiled = authorizationCall(token, { ...signed, signature: veilSignature(signed.signature) })
  const quote = await relayer.quote({ ...veiled, gas: GAS_LIMIT })
  const gas = gasLimitOf(GAS_LIMIT, quote.dataFee)
  await requireAffordable(context, quote, gas)
  return { quote, gas }
}

/**
 * Simulates the very call that would be signed, from the account that would sign it. **From here on a node has the signature**,
 * and whoever runs it can have it carried out until its window ends.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function simulateAuthorization(
  { client, relayer }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  { quote, gas }: AuthorizationQuote,
): Promise<Simulated> {
  const call = authorizationCall(token, signed)
  const most = gasLimitOf(MOST_ESTIMATED, quote.dataFee)
  try {
    const estimate = await client.estimateGas({ ...call, account: relayer.address, gas })
    if (estimate > most)
      return { type: 'bad', why: `takes ${estimate} gas to check: must take at most ${most}` }
    const validUntil = new Date(Number(signed.validBefore) * 1000)
    return { type: 'good', call: { ...call, gas, payoutId: null, validUntil } }
  } catch (error) {
    const revert = error instanceof BaseError ? revertOf(error) : null
    if (revert === null) throw error
    return { type: 'bad', why: `is not taken by the token: ${revert.message}` }
  }
}

async function requireAffordable(
  { client, relayer }: AuthorizationContext,
  { fees, dataFee }: RelayerQuote,
  gas: bigint,
): Promise<void> {
  if (!fees.isMineable || !dataFee.isWithinBound)
    throw new AppError('signature_payment_unavailable', 'gas is above our ceiling now')
  const balance = await client.getBalance({ address: relayer.address })
  if (balance < gas * fees.maxFeePerGas + dataFee.besideWei)
    throw new AppError('signature_payment_unavailable', 'the account that pays the gas is empty')
}

/** The same payment as if its payer sent it himself: no signature is in it. */
export function ordinaryTransfer({ token, signed }: RequestedAuthorization): Call {
  const { from, to, value } = signed
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
  return { to: token, data, account: from }
}

/** Simulates it as an ordinary transfer; what reverts comes of what he can mend, if of his balance. */
async function rehearse({ client }: AuthorizationContext, asked: RequestedAuthorization): Promise<void> {
  const { token, signed } = asked
  const { from, value } = signed
  try {
    await client.call(ordinaryTransfer(asked))
    return
  } catch (error) {
    if (!hasReverted(error)) throw error
  }
  const args = [from] as const
  const balance = await client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args,
  })
  if (balance < value)
    throw new AppError('insufficient_balance', `${from} has ${balance} of ${token}, and signed for ${value}`)
  throw refuseAuthorization('from', `is ${from}, whom ${token} lets not pay`)
}
