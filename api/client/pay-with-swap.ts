import { concatHex, encodeFunctionData, maxUint256, numberToHex, parseAbi, size } from 'viem'
import { type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import { parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { PERMIT2, presentPermit } from '../../shared/domain/swap/permit2.ts'
import { delay } from './delay.ts'
import { findDifference } from './find-difference.ts'
import type { Schema } from './schema.ts'

/** Any EIP-1193 wallet, such as `window.ethereum`. */
export type Eip1193Wallet = {
  readonly request: (call: { method: string; params?: unknown }) => Promise<unknown>
}

export type SwapCall = {
  /** `approve` is needed once per token, and can be skipped if the allowance is sufficient. */
  readonly name: 'approve' | 'sign' | 'send'
  /** Builds the request. For `send`, pass the result of `sign`. */
  readonly request: (signature?: Hex) => { readonly method: string; readonly params: readonly unknown[] }
}

/**
 * Thrown if a quote is for another charge or has expired, if its transaction or permit contradicts its other fields, or
 * if the wallet is on another chain. The message states the difference.
 */
export class QuoteMismatch extends Error {}

type Payment = {
  readonly charge: Pick<Schema<'Charge'>, 'address'>
  readonly quote: Schema<'SwapQuote'>
  /** The `takerAddress` of the quote request. */
  readonly taker: Hex
  /** Chain id of the wallet; by default the chain id of the quote's network. */
  readonly chainId?: number | undefined
}

const ERC20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

/**
 * Returns the wallet requests that pay a charge by a swap, in order: one for the native coin, three for an ERC-20
 * token.
 *
 * The requests grant an allowance only to Permit2. The permit to sign is rebuilt from checked values, never copied from
 * the quote.
 *
 * @throws {QuoteMismatch} if the quote does not pay the charge's address, or if a token, amount or spender in its
 * transaction or permit differs from its other fields
 */
export function swapCalls(payment: Payment): readonly SwapCall[] {
  const { quote, taker } = payment
  const permit = requireMatchingQuote(payment)
  const { transaction } = quote
  const send: SwapCall = {
    name: 'send',
    request: (signature) => {
      const { to, value, gas } = transaction
      const data = appendSignature(transaction.data as Hex, signature)
      const call = { from: taker, to, data, value: numberToHex(BigInt(value)) }
      return {
        method: 'eth_sendTransaction',
        params: [gas === undefined ? call : { ...call, gas: numberToHex(BigInt(gas)) }],
      }
    },
  }
  if (permit === null) return [send]
  const approval = encodeFunctionData({
    ...{ abi: ERC20, functionName: 'approve', args: [PERMIT2, maxUint256] },
  })
  return [
    {
      name: 'approve',
      request: () => ({
        method: 'eth_sendTransaction',
        params: [{ from: taker, to: permit.message.permitted.token, data: approval, value: '0x0' }],
      }),
    },
    {
      name: 'sign',
      request: () => ({ method: 'eth_signTypedData_v4', params: [taker, JSON.stringify(permit)] }),
    },
    send,
  ]
}

/**
 * Pays a charge by a swap with the payer's own wallet. Returns the hash once the transaction is sent.
 *
 * If an approval is needed, waits until it is mined. If the quote expires in the meantime, sends no payment. Request
 * another quote and call again; the approval remains valid.
 *
 * @param options.chainId - chain id of the wallet; by default the chain id of the quote's network
 * @throws {QuoteMismatch} as in `swapCalls`, and if the wallet is on another chain or the quote has expired
 * @throws {Error} if the approval reverts or is not mined within 120 s
 * @throws errors of the wallet, such as a declined request
 */
export async function payWithSwap(
  wallet: Eip1193Wallet,
  payment: Payment,
  options: { readonly chainId?: number } = {},
): Promise<Hex> {
  const { quote } = payment
  const chainId = options.chainId ?? getChainId(payment)
  const calls = swapCalls({ ...payment, chainId })
  await requireChain(wallet, chainId)
  let result: Hex | undefined
  for (const { name, request } of calls) {
    if (name === 'approve') {
      if (await isAllowed(wallet, payment)) continue
      await waitUntilMined(wallet, (await wallet.request(request())) as Hex)
      continue
    }
    if (name === 'send') requireNotExpired(quote)
    result = (await wallet.request(request(result))) as Hex
  }
  return result as Hex
}

/** Appends the signature's length as 32 bytes, and the signature, as the 0x API specifies. */
function appendSignature(data: Hex, signature: Hex | undefined): Hex {
  if (signature === undefined) return data
  return concatHex([data, numberToHex(size(signature), { size: 32 }), signature])
}

function getChainId({ quote, chainId }: Payment): number {
  return chainId ?? REGISTRY[quote.inputNetwork].live.chainId
}

/**
 * Checks a quote that the service has already checked, because an attacker between the service and the payer might have
 * changed it.
 *
 * @returns the permit to sign, rebuilt from checked values; `null` for the native coin
 */
function requireMatchingQuote(payment: Payment): ReturnType<typeof presentPermit> | null {
  const { charge, quote } = payment
  const { inputToken, inputNetwork, transaction, permit2, allowanceTarget } = quote
  const recipient = `0x${transaction.data.slice(34, 74)}`
  if (recipient.toLowerCase() !== charge.address.toLowerCase()) {
    throw new QuoteMismatch(`the quote pays ${recipient}, not the charge's address ${charge.address}`)
  }
  const input = REGISTRY[inputNetwork].swapTokens[inputToken]
  if (input === undefined)
    throw new QuoteMismatch(`${inputToken} on ${inputNetwork} is not a known swap token`)
  if (input.isNative !== (permit2 === null))
    throw new QuoteMismatch(`the quote requests ${permit2 === null ? 'no' : 'a'} permit for ${inputToken}`)
  const max = getMaxAtomic(quote, input.decimals)
  const requested = permit2 === null ? transaction.value : permit2.eip712.message.permitted.amount
  if (BigInt(requested) > max)
    throw new QuoteMismatch(
      `the quote requests ${requested} units of ${inputToken}, more than the ${max} that it shows`,
    )
  if (permit2 === null) return null
  if (transaction.value !== '0') throw new QuoteMismatch(`the quote also sends ${transaction.value} wei`)
  if (allowanceTarget?.toLowerCase() !== PERMIT2)
    throw new QuoteMismatch(
      `the quote's allowance is for ${allowanceTarget ?? 'no spender'}, not for Permit2`,
    )
  const { nonce, deadline } = permit2.eip712.message
  const spender = parseEvmAddress(transaction.to)
  if (spender === null) throw new QuoteMismatch(`the transaction goes to ${transaction.to}, not an address`)
  const terms = { token: input.address, amountAtomic: BigInt(requested), spender }
  const rebuilt = presentPermit(
    { ...terms, nonce: BigInt(nonce), deadline: BigInt(deadline) },
    getChainId(payment),
  )
  const difference = findDifference(rebuilt, permit2.eip712)
  if (difference !== null) throw new QuoteMismatch(difference)
  return rebuilt
}

/** Returns the maximum cost that the quote shows to the payer, in the token's smallest unit. */
function getMaxAtomic({ inputAmount, inputAmountExact }: Payment['quote'], decimals: number): bigint {
  const amount = parseDecimal(inputAmountExact ?? String(inputAmount))
  return amount === null ? 0n : truncateTo(amount, decimals)
}

function requireNotExpired({ expiresAt }: Payment['quote']): void {
  if (Date.parse(expiresAt) > Date.now()) return
  throw new QuoteMismatch(`the quote expired at ${expiresAt}; request a new quote`)
}

async function requireChain(wallet: Eip1193Wallet, expected: number): Promise<void> {
  const chainId = Number(await wallet.request({ method: 'eth_chainId' }))
  if (chainId !== expected) throw new QuoteMismatch(`the wallet is on chain ${chainId}, not ${expected}`)
}

async function isAllowed(wallet: Eip1193Wallet, { quote, taker }: Payment): Promise<boolean> {
  const permitted = quote.permit2?.eip712.message.permitted
  if (permitted === undefined) return true
  const data = encodeFunctionData({
    ...{ abi: ERC20, functionName: 'allowance', args: [taker, PERMIT2] },
  })
  const call = { method: 'eth_call', params: [{ to: permitted.token, data }, 'latest'] }
  return BigInt((await wallet.request(call)) as Hex) >= BigInt(permitted.amount)
}

const MINED_WITHIN_MS = 120_000
const POLL_MS = 500

async function waitUntilMined(wallet: Eip1193Wallet, hash: Hex): Promise<void> {
  const deadlineMs = Date.now() + MINED_WITHIN_MS
  while (Date.now() < deadlineMs) {
    const receipt = (await wallet.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as {
      status: Hex
    } | null
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`the approval ${hash} reverted`)
    await delay(POLL_MS)
  }
  throw new Error(`the approval ${hash} was not mined within ${MINED_WITHIN_MS} ms`)
}
