import { BaseError } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { revertOf } from '../../shared/chain/simulate.ts'
import { authorizationCall } from '../../shared/domain/authorization.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { AUTHORIZATION_GAS } from '../../shared/domain/plan-authorization.ts'
import { refuseAuthorization } from '../../shared/domain/require-authorizable.ts'
import { gasLimitOf } from '../relayer/quote-data-fee.ts'
import type { RelayerCall, RelayerQuote } from '../relayer/relayer-context.ts'
import type { RequestedAuthorization } from '../requests/read-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'

/**
 * The gas of each is fixed, for a hostile account's code burns all that it is given; and one that is estimated above this
 * is not sent. Measured: 103,256 for a payer's key and a new payee, 90,402 for a contract that signs (November 2026).
 */
const MOST_ESTIMATED = 150_000n
const GAS_LIMIT = BigInt(AUTHORIZATION_GAS)

/** A call that would succeed now, and what signing it needs. */
export type PreparedCall = { readonly call: RelayerCall; readonly quote: RelayerQuote }

/**
 * Simulates the very call that would be signed, from the account that would sign it.
 *
 * @throws {AppError} `insufficient_balance`, `authorization_invalid` if the token does not take it or it takes too much gas;
 * `signature_payment_unavailable` if gas is above our ceiling, or our account cannot pay it
 * @throws {BaseError} viem's, if no node answers
 */
export async function prepareAuthorizationCall(
  context: AuthorizationContext,
  asked: RequestedAuthorization,
): Promise<PreparedCall> {
  const { client, relayer } = context
  const { token, signed } = asked
  const call = authorizationCall(token, signed)
  const quote = await relayer.quote({ ...call, gas: GAS_LIMIT })
  const gas = gasLimitOf(GAS_LIMIT, quote.dataFee)
  await requireAffordable(context, quote, gas)
  const most = gasLimitOf(MOST_ESTIMATED, quote.dataFee)
  const estimate = await client
    .estimateGas({ ...call, account: relayer.address, gas })
    .catch(async (error: unknown) => {
      throw (await explain(context, asked, error)) ?? error
    })
  if (estimate > most)
    throw refuseAuthorization('signature', `takes ${estimate} gas to check: must take at most ${most}`)
  const validUntil = new Date(Number(signed.validBefore) * 1000)
  return { call: { ...call, gas, payoutId: null, validUntil }, quote }
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

/** What a revert comes of, as far as a payer can mend it; `null` if no node said that it reverts. */
async function explain(
  { client }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  error: unknown,
): Promise<AppError | null> {
  const revert = error instanceof BaseError ? revertOf(error) : null
  if (revert === null) return null
  const { from, value } = signed
  const args = [from] as const
  const balance = await client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args,
  })
  return balance < value
    ? new AppError('insufficient_balance', `${from} has ${balance} of ${token}, and signed for ${value}`)
    : refuseAuthorization('signature', `is not taken by the token: ${revert.message}`)
}
