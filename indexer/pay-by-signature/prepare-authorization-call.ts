import { BaseError, encodeFunctionData, erc20Abi } from 'viem'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { hasReverted } from '../../shared/chain/nodes/node-errors.ts'
import { queryFirst } from '../../shared/chain/nodes/query-nodes.ts'
import { type Call, findRevert } from '../../shared/chain/nodes/simulate.ts'
import { authorizationCall, maskSignature } from '../../shared/domain/eip3009/authorization.ts'
import { AUTHORIZATION_GAS } from '../../shared/domain/eip3009/plan-authorization.ts'
import { createAuthorizationError } from '../../shared/domain/eip3009/require-authorizable.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { getGasLimit } from '../relayer/quote-data-fee.ts'
import type { RelayerCall, RelayerQuote } from '../relayer/relayer-context.ts'
import type { RequestedAuthorization } from '../requests/parse-payload.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import { NotDueError } from './not-due-error.ts'
import type { VerifiedAuthorization } from './verified-authorization.ts'

/**
 * Maximum gas estimate with which a call is sent. Measured: 103,256 for a payer's key and a new payee, 90,402 for a
 * contract that signs (November 2026). The gas limit of the call is fixed, because the code of a hostile account burns
 * all the gas that it receives.
 */
const MAX_ESTIMATED = 150_000n
const GAS_LIMIT = BigInt(AUTHORIZATION_GAS)

/** Current cost of executing an authorization, within our limits and our account's balance, and the gas limit. */
export type AuthorizationQuote = { readonly quote: RelayerQuote; readonly gas: bigint }

export type CallSimulation =
  | { readonly type: 'good'; readonly call: RelayerCall }
  /**
   * The call reverts now, or takes more gas than we accept. A third party might still be able to execute the signature.
   * `why` is the predicate of a sentence about the signature.
   */
  | { readonly type: 'bad'; readonly why: string }

/**
 * Checks all conditions for executing an authorization that can be checked **without sending its signature to a node**.
 * It quotes the call with the bytes of `maskSignature` in place of the signature. It simulates an ordinary, unsigned
 * transfer of the same amount to check whether the payer has the balance and the token allows the payment.
 *
 * If this function or `verifyAuthorization` rejects a request at its first attempt, no node has the signature, so the
 * payer may sign another one immediately.
 *
 * @throws {NotDueError} if the maximum number of transactions is waiting for a block, or the signature's window has not
 * begun at the chain's head
 * @throws {AppError} `insufficient_balance`; `authorization_invalid` if the token does not allow the payment;
 * `signature_payment_unavailable` if the fees are above our ceiling, or our account cannot pay the gas; or
 * `rpc_unavailable` if no node reports that the payment is possible, and no quorum reports that it is not
 * @throws {BaseError} from viem if no node responds
 */
export async function quoteAuthorization(
  context: AuthorizationContext,
  { asked, headTimestamp }: Pick<VerifiedAuthorization, 'asked' | 'headTimestamp'>,
): Promise<AuthorizationQuote> {
  const { relayer } = context
  const { token, signed } = asked
  if ((await relayer.countFree()) === 0) throw new NotDueError('too many transactions wait for a block')
  if (headTimestamp <= signed.validAfter)
    throw new NotDueError('the window of the signature has not begun at the chain’s head')
  await rehearse(context, asked)
  const veiled = authorizationCall(token, { ...signed, signature: maskSignature(signed.signature) })
  const quote = await relayer.quote({ ...veiled, gas: GAS_LIMIT })
  const gas = getGasLimit(GAS_LIMIT, quote.dataFee)
  await requireAffordable(context, quote, gas)
  return { quote, gas }
}

/**
 * Simulates the exact call that would be signed, from the account that would sign it. **From here on, nodes have the
 * signature**, and their operators can execute it until its window ends.
 *
 * One node that reports success is enough, because a wrong report costs only gas. A quorum must report a failure.
 *
 * @throws {AppError} `rpc_unavailable` if no node reports success, and no quorum reports a failure
 */
export async function simulateAuthorization(
  { chain, relayer }: AuthorizationContext,
  { token, signed }: RequestedAuthorization,
  { quote, gas }: AuthorizationQuote,
): Promise<CallSimulation> {
  const call = { ...authorizationCall(token, signed), account: relayer.address, gas }
  const most = getGasLimit(MAX_ESTIMATED, quote.dataFee)
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

/**
 * Returns `null` if the call would succeed with an acceptable amount of gas; otherwise the reason, as in
 * `CallSimulation`.
 */
async function findObjection(client: ChainClient, { call, most }: Estimation): Promise<string | null> {
  try {
    const estimate = await client.estimateGas(call)
    return estimate > most ? `takes ${estimate} gas to verify, above the limit of ${most}` : null
  } catch (error) {
    const revert = error instanceof BaseError ? findRevert(error) : null
    if (revert === null) throw error
    return `is rejected by the token: ${revert.message}`
  }
}

/** Checks that the fees are within our bounds, and that our account can pay the gas. */
async function requireAffordable(
  { chain, relayer }: AuthorizationContext,
  { fees, dataFee }: RelayerQuote,
  gas: bigint,
): Promise<void> {
  if (!fees.isMineable || !dataFee.isWithinBound)
    throw new AppError('signature_payment_unavailable', 'the fees are above our ceiling')
  const mostWei = gas * fees.maxFeePerGas + dataFee.besideWei
  const isEnough = await queryFirst(chain, {
    subject: 'the balance of our account',
    read: async ({ client }) => (await client.getBalance({ address: relayer.address })) >= mostWei,
    toText: String,
    decides: Boolean,
  })
  if (!isEnough)
    throw new AppError(
      'signature_payment_unavailable',
      'the balance of the account that pays the gas is too low',
    )
}

/** Returns the call of an ordinary transfer with the same payer, recipient and amount, which needs no signature. */
export function buildPlainTransfer({ token, signed }: RequestedAuthorization): Call {
  const { from, to, value } = signed
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
  return { to: token, data, account: from }
}

/**
 * Simulates the payment as an ordinary transfer. If it reverts and the payer's balance is too low, the error gives this
 * reason, which is the only one that the payer can correct.
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
    throw new AppError(
      'insufficient_balance',
      `${from} has ${balance} units of ${token}, but signed for ${value}`,
    )
  throw createAuthorizationError('from', `is ${from}, which ${token} does not allow to pay`)
}

/** Returns `null` if the transfer would succeed, otherwise the payer's balance. */
async function findShortBalance(client: ChainClient, asked: RequestedAuthorization): Promise<bigint | null> {
  const { token: address, signed } = asked
  try {
    await client.call(buildPlainTransfer(asked))
    return null
  } catch (error) {
    if (!hasReverted(error)) throw error
  }
  const functionName = 'balanceOf'
  return client.readContract({ address, abi: erc20Abi, functionName, args: [signed.from] })
}
