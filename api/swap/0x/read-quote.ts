import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Address, type Hex, parseEvmAddress } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { Permit2Offer, SwapOffer } from '../provider.ts'

/** What 0x's answer to a quote says, in our words. */
export type ReadQuote =
  | { readonly ok: true; readonly offer: SwapOffer }
  | { readonly ok: false; readonly reason: string }

/** Decimal digits of at most 2^256. */
const Uint = Type.String({ pattern: '^[0-9]{1,78}$' })
const UintOrNumber = Type.Union([Uint, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })])
const EvmAddress = Type.String({ format: 'evm-address' })
/** Twice the largest that was seen, by an order of magnitude. */
const Data = Type.String({ pattern: '^0x([0-9a-fA-F]{2})+$', maxLength: 131_072 })
const Fee = Type.Union([Type.Null(), Type.Object({ amount: Uint, token: EvmAddress })])

const Permit2 = Type.Object({
  hash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
  eip712: Type.Object({
    primaryType: Type.String({ maxLength: 100 }),
    domain: Type.Object({
      name: Type.String({ maxLength: 100 }),
      chainId: UintOrNumber,
      verifyingContract: EvmAddress,
    }),
    message: Type.Object({
      permitted: Type.Object({ token: EvmAddress, amount: UintOrNumber }),
      spender: EvmAddress,
      nonce: UintOrNumber,
      deadline: UintOrNumber,
    }),
  }),
})

/**
 * A quote as it is with liquidity; fields that we do not read are not looked at.
 *
 * @see 0xProject/0x-docs, `openapi.json`, `/swap/permit2/quote` with `buyAmount` (August 2026)
 */
const Quote = Type.Object({
  mode: Type.Literal('exact-out'),
  sellToken: EvmAddress,
  buyToken: EvmAddress,
  buyAmount: Uint,
  maxSellAmount: Uint,
  fees: Type.Object({ integratorFee: Fee, zeroExFee: Fee }),
  permit2: Type.Optional(Type.Union([Type.Null(), Permit2])),
  transaction: Type.Object({
    to: EvmAddress,
    data: Data,
    value: Uint,
    gas: Type.Optional(Type.Union([Type.Null(), Uint])),
  }),
})

const Liquidity = Type.Object({ liquidityAvailable: Type.Literal(true) })

const Chains = Type.Object({
  chains: Type.Array(
    Type.Object({ chainId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
    { minItems: 1, maxItems: 1000 },
  ),
})

const ajv = new Ajv({
  formats: { 'evm-address': { validate: (text: string) => parseEvmAddress(text) !== null } },
})
const isLiquid = compile(Liquidity)
const isQuote = compile(Quote)
const areChains = compile(Chains)

/** Reads 0x's answer to a quote; that it is of the right form says nothing of whether it may be believed. */
export function readQuote(answer: unknown): ReadQuote {
  if (!isLiquid(answer)) return { ok: false, reason: 'has no liquidity' }
  const value: unknown = answer
  if (!isQuote(value)) {
    const path = isQuote.errors?.[0]?.instancePath.slice(0, 100) ?? ''
    return { ok: false, reason: `answers ${path === '' ? 'a body' : path} that cannot be read` }
  }
  return { ok: true, offer: offerOf(value) }
}

/** Reads the chains that 0x swaps on, or answers `null`. */
export function readChains(answer: unknown): readonly number[] | null {
  return areChains(answer) ? answer.chains.map(({ chainId }) => chainId) : null
}

function compile<Schema extends TSchema>(schema: Schema): ValidateFunction<Static<Schema>> {
  return ajv.compile<Static<Schema>>(schema)
}

function offerOf(quote: Static<typeof Quote>): SwapOffer {
  const { transaction, fees, permit2 } = quote
  return {
    sellToken: lower(quote.sellToken),
    buyToken: lower(quote.buyToken),
    buyAtomic: atomic(BigInt(quote.buyAmount)),
    maxSellAtomic: atomic(BigInt(quote.maxSellAmount)),
    serviceFee: feeOf(fees.integratorFee),
    providerFee: feeOf(fees.zeroExFee),
    transaction: {
      to: lower(transaction.to),
      data: transaction.data.toLowerCase() as Hex,
      valueWei: BigInt(transaction.value),
      gas: transaction.gas ? BigInt(transaction.gas) : null,
    },
    permit2: permit2 ? permitOf(permit2) : null,
  }
}

function feeOf(fee: Static<typeof Fee>): SwapOffer['serviceFee'] {
  return fee === null ? null : { atomic: atomic(BigInt(fee.amount)), token: lower(fee.token) }
}

function permitOf({ hash, eip712 }: Static<typeof Permit2>): Permit2Offer {
  const { domain, primaryType, message } = eip712
  return {
    domain: {
      name: domain.name,
      chainId: Number(domain.chainId),
      verifyingContract: lower(domain.verifyingContract),
    },
    primaryType,
    token: lower(message.permitted.token),
    amountAtomic: atomic(BigInt(message.permitted.amount)),
    spender: lower(message.spender),
    nonce: BigInt(message.nonce),
    deadline: BigInt(message.deadline),
    hash: hash.toLowerCase() as Hex,
  }
}

/** Its checksum, if it has one, was verified by the schema. */
function lower(address: string): Address {
  return address.toLowerCase() as Address
}
