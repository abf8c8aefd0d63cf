import { setTimeout as delay } from 'node:timers/promises'
import { concatHex, encodeFunctionData, type Hex, maxUint256, numberToHex, parseAbi, size } from 'viem'
import { parseEvmAddress } from '../../shared/domain/address.ts'
import { parseDecimal, truncateTo } from '../../shared/domain/decimal.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { PERMIT2, presentPermit } from '../../shared/domain/permit2.ts'
import { findDifference } from './find-difference.ts'
import type { Schema } from './schema.ts'

/** Any wallet that is asked as EIP-1193 says, such as `window.ethereum`. */
export type Eip1193Wallet = {
  readonly request: (call: { method: string; params?: unknown }) => Promise<unknown>
}

/** One thing that the payer's wallet is asked for. */
export type SwapCall = {
  /** `approve` is needed once for all swaps of a token, and skipped where enough is allowed already. */
  readonly name: 'approve' | 'sign' | 'send'
  /** Answers the request; `send` is given what `sign` answered. */
  readonly request: (signature?: Hex) => { readonly method: string; readonly params: readonly unknown[] }
}

/** A quote is not for this charge, or asks the payer for more than it says or for something else; the message says which. */
export class QuoteMismatch extends Error {}

type Payment = {
  readonly charge: Pick<Schema<'Charge'>, 'address'>
  readonly quote: Schema<'SwapQuote'>
  /** The `takerAddress` that the quote was asked for. */
  readonly taker: Hex
  /** Of the wallet; by default that of the quote's network. */
  readonly chainId?: number | undefined
}

const ERC20 = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

/**
 * Answers what a wallet is asked for to pay a charge by a swap, in order: one call for the native coin, three for an
 * ERC-20 token.
 *
 * Allows nobody but Permit2 to spend, and signs what it has made itself of the values that were checked, never what was sent.
 *
 * @throws {QuoteMismatch} if the quote pays another address, or wants another token, amount or spender than it shows
 */
export function swapCalls(payment: Payment): readonly SwapCall[] {
  const { quote, taker } = payment
  const permit = requireHonest(payment)
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
 * Pays a charge by a swap with the payer's own wallet, and answers the hash of the transaction once it was sent.
 *
 * Waits for an approval to be mined, so the quote may have ended meanwhile: then nothing was sent that pays; ask for
 * another quote and begin anew, which needs no approval any more.
 *
 * @param options.chainId - of the wallet; by default that of the quote's network
 * @throws {QuoteMismatch} as `swapCalls`, and if the wallet is on another chain or the quote has ended; and whatever the
 * wallet throws, a refusal of its owner among it
 */
export async function payWithSwap(
  wallet: Eip1193Wallet,
  payment: Payment,
  options: { readonly chainId?: number } = {},
): Promise<Hex> {
  const { quote } = payment
  const chainId = options.chainId ?? chainIdOf(payment)
  const calls = swapCalls({ ...payment, chainId })
  await requireChain(wallet, chainId)
  let answer: Hex | undefined
  for (const { name, request } of calls) {
    if (name === 'approve') {
      if (await isAllowed(wallet, payment)) continue
      await untilMined(wallet, (await wallet.request(request())) as Hex)
      continue
    }
    if (name === 'send') requireInTime(quote)
    answer = (await wallet.request(request(answer))) as Hex
  }
  return answer as Hex
}

/** 0x's convention: the length as 32 bytes, then the signature, behind the call. */
function appendSignature(data: Hex, signature: Hex | undefined): Hex {
  if (signature === undefined) return data
  return concatHex([data, numberToHex(size(signature), { size: 32 }), signature])
}

function chainIdOf({ quote, chainId }: Payment): number {
  return chainId ?? REGISTRY[quote.inputNetwork].live.chainId
}

/**
 * The service has checked this; whoever stands between it and the payer has not.
 *
 * @returns what the payer signs, made by us; `null` for the native coin
 */
function requireHonest(payment: Payment): ReturnType<typeof presentPermit> | null {
  const { charge, quote } = payment
  const { inputToken, inputNetwork, transaction, permit2, allowanceTarget } = quote
  const recipient = `0x${transaction.data.slice(34, 74)}`
  if (recipient.toLowerCase() !== charge.address.toLowerCase()) {
    throw new QuoteMismatch(`the quote pays ${recipient}, not the charge's address ${charge.address}`)
  }
  const input = REGISTRY[inputNetwork].swapTokens[inputToken]
  if (input === undefined)
    throw new QuoteMismatch(`this program does not know ${inputToken} on ${inputNetwork}`)
  if (input.isNative !== (permit2 === null))
    throw new QuoteMismatch(`the quote wants ${permit2 === null ? 'no' : 'a'} permit for ${inputToken}`)
  const most = mostOf(quote, input.decimals)
  const wanted = permit2 === null ? transaction.value : permit2.eip712.message.permitted.amount
  if (BigInt(wanted) > most)
    throw new QuoteMismatch(
      `the quote wants ${wanted} units of ${inputToken}, more than the ${most} that it shows`,
    )
  if (permit2 === null) return null
  if (transaction.value !== '0') throw new QuoteMismatch(`the quote sends ${transaction.value} wei besides`)
  if (allowanceTarget?.toLowerCase() !== PERMIT2)
    throw new QuoteMismatch(`the quote lets ${allowanceTarget ?? 'nobody'} spend all, not Permit2`)
  const { nonce, deadline } = permit2.eip712.message
  const spender = parseEvmAddress(transaction.to)
  if (spender === null) throw new QuoteMismatch(`the transaction goes to ${transaction.to}, no address`)
  const terms = { token: input.address, amountAtomic: BigInt(wanted), spender }
  const ours = presentPermit(
    { ...terms, nonce: BigInt(nonce), deadline: BigInt(deadline) },
    chainIdOf(payment),
  )
  const difference = findDifference(ours, permit2.eip712)
  if (difference !== null) throw new QuoteMismatch(difference)
  return ours
}

/** All that the payer was told that it costs, in the token's smallest units. */
function mostOf({ inputAmount, inputAmountExact }: Payment['quote'], decimals: number): bigint {
  const amount = parseDecimal(inputAmountExact ?? String(inputAmount))
  return amount === null ? 0n : truncateTo(amount, decimals)
}

function requireInTime({ expiresAt }: Payment['quote']): void {
  if (Date.parse(expiresAt) > Date.now()) return
  throw new QuoteMismatch(`the quote ended at ${expiresAt}; ask for another one`)
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

async function untilMined(wallet: Eip1193Wallet, hash: Hex): Promise<void> {
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
