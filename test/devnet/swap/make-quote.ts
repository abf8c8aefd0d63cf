import { randomBytes } from 'node:crypto'
import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import type { Address as OurAddress } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import { hashPermit, presentPermit } from '../../../shared/domain/swap/permit2.ts'
import { findInput, type MarketInput, type SwapMarket } from './market.ts'

/** Parameters of a quote request. */
export type QuoteAsk = {
  readonly market: SwapMarket
  readonly input: MarketInput
  readonly sellToken: Address
  readonly buyToken: Address
  readonly outputDecimals: number
  readonly buyAmount: bigint
  readonly recipient: Address
  readonly slippageBps: bigint
  readonly fee: { readonly recipient: Address; readonly amount: bigint } | null
}

/** Body of a response in the format of 0x, with numbers as decimal text. Tests change it into dishonest quotes. */
export type QuoteBody = ReturnType<typeof buildQuote>

const SETTLER_ABI = parseAbi([
  'struct AllowedSlippage { address recipient; address buyToken; uint256 minAmountOut; }',
  'function execute(AllowedSlippage slippage, bytes[] actions, bytes32 zid) payable returns (bool)',
])

/** Lifetime of a quote, similar to that of 0x's quotes. */
const LASTS_SECONDS = 300

/** Creates an honest quote: the recipient gets `buyAmount`, and the taker pays at most cost, fee and slippage. */
export function buildQuote(ask: QuoteAsk) {
  const fees = ask.fee?.amount ?? 0n
  const netSellAmount = sellFor(ask, ask.buyAmount + fees)
  const maxSellAmount = divCeil(netSellAmount * (10_000n + ask.slippageBps), 10_000n)
  const zid = toHex(randomBytes(12))
  const permit = ask.input.isNative ? null : permitOf(ask, maxSellAmount)
  const deadline = permit?.deadline ?? deadlineNow()
  const sale = { maxSellAmount, netSellAmount, nonce: permit?.nonce ?? 0n, deadline }
  return {
    mode: 'exact-out',
    liquidityAvailable: true,
    blockNumber: '1',
    sellToken: ask.sellToken,
    buyToken: ask.buyToken,
    buyAmount: String(ask.buyAmount),
    maxSellAmount: String(maxSellAmount),
    estimatedNetSellAmount: String(netSellAmount),
    allowanceTarget: permit === null ? null : '0x000000000022d473030f116ddee9f6b43ac78ba3',
    fees: {
      integratorFee: feeOf(ask, ask.fee === null ? null : fees),
      integratorFees: null,
      zeroExFee: feeOf(ask, null),
    },
    issues: { allowance: null, balance: null, simulationIncomplete: false, invalidSourcesPassed: [] },
    permit2: permit === null ? null : presentPermit2(ask, permit),
    transaction: {
      to: ask.market.settler as string,
      data: encodeExecute(ask, sale, zid) as string,
      gas: '300000' as string | null,
      gasPrice: '1000000000',
      value: String(ask.input.isNative ? maxSellAmount : 0n),
    },
    totalNetworkFee: null,
    zid: zid as string,
  }
}

/** Parses the query of a quote request. Returns an error code of 0x if the query is invalid. */
export function readAsk(markets: readonly SwapMarket[], query: URLSearchParams): QuoteAsk | string {
  const market = markets.find(({ chainId }) => String(chainId) === query.get('chainId'))
  const [sellToken, buyToken, taker] = ['sellToken', 'buyToken', 'taker'].map((name) => query.get(name))
  const buyAmount = query.get('buyAmount') ?? ''
  if (!market || !taker || !/^[1-9][0-9]*$/.test(buyAmount) || query.has('sellAmount')) return 'INPUT_INVALID'
  const input = findInput(market, sellToken ?? '')
  const output = market.outputs.find(({ address }) => address.toLowerCase() === buyToken?.toLowerCase())
  if (input === null || output === undefined) return 'TOKEN_NOT_SUPPORTED'
  const feeBps = BigInt(query.get('swapFeeBps') ?? 0)
  return {
    ...{ market, input, sellToken: sellToken as Address, buyToken: buyToken as Address },
    outputDecimals: output.decimals,
    buyAmount: BigInt(buyAmount),
    recipient: (query.get('recipient') ?? taker) as Address,
    slippageBps: BigInt(query.get('slippageBps') ?? 100),
    fee:
      feeBps === 0n
        ? null
        : {
            recipient: query.get('swapFeeRecipient') as Address,
            amount: (BigInt(buyAmount) * feeBps) / 10_000n,
          },
  }
}

function sellFor({ input, outputDecimals }: QuoteAsk, buyAmount: bigint): bigint {
  return divCeil(buyAmount * 10n ** BigInt(input.decimals), input.dollars * 10n ** BigInt(outputDecimals))
}

function divCeil(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

function feeOf({ buyToken }: QuoteAsk, amount: bigint | null) {
  return amount === null ? null : { amount: String(amount), token: buyToken as string, type: 'volume' }
}

function deadlineNow(): bigint {
  return BigInt(Math.floor(Date.now() / 1000) + LASTS_SECONDS)
}

type Permit = Parameters<typeof hashPermit>[0]

function permitOf({ sellToken, market }: QuoteAsk, maxSellAmount: bigint): Permit {
  return {
    token: sellToken as OurAddress,
    amountAtomic: atomic(maxSellAmount),
    spender: market.settler as OurAddress,
    nonce: BigInt(toHex(randomBytes(32))),
    deadline: deadlineNow(),
  }
}

function presentPermit2({ market: { chainId } }: QuoteAsk, permit: Permit) {
  const { domain, types, primaryType, message } = presentPermit(permit, chainId)
  return {
    type: 'Permit2',
    hash: hashPermit(permit, chainId) as string,
    eip712: {
      types,
      domain: { ...domain, verifyingContract: domain.verifyingContract as string },
      primaryType: primaryType as string,
      message: {
        ...message,
        permitted: { ...message.permitted, token: message.permitted.token as string },
        spender: message.spender as string,
      },
    },
  }
}

/** Encodes a call to `contracts/test/swap/TestSettler.sol` with two actions, a sale and its fees. */
function encodeExecute(
  ask: QuoteAsk,
  sale: { maxSellAmount: bigint; netSellAmount: bigint; nonce: bigint; deadline: bigint },
  zid: Hex,
): Hex {
  const { sellToken, buyToken, recipient, buyAmount, fee } = ask
  const actions = [
    encodeAbiParameters([{ type: 'tuple', components: SALE }], [{ sellToken, ...sale }]),
    encodeAbiParameters([{ type: 'tuple[]', components: FEE }], [fee === null ? [] : [fee]]),
  ]
  return encodeFunctionData({
    abi: SETTLER_ABI,
    functionName: 'execute',
    args: [{ recipient, buyToken, minAmountOut: buyAmount }, actions, `0x${zid.slice(2).padEnd(64, '0')}`],
  })
}

const SALE = [
  { name: 'sellToken', type: 'address' },
  { name: 'maxSellAmount', type: 'uint256' },
  { name: 'netSellAmount', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const

const FEE = [
  { name: 'recipient', type: 'address' },
  { name: 'amount', type: 'uint256' },
] as const
