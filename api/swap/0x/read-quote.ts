import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Address, type Hex, parseEvmAddress } from '../../../shared/domain/address.ts'
import { atomic } from '../../../shared/domain/money.ts'
import type { Permit2Offer, SwapOffer } from '../provider.ts'

/** An offer parsed from 0x's response, or the reason why there is none. */
export type ReadQuote =
  | { readonly ok: true; readonly offer: SwapOffer }
  | { readonly ok: false; readonly reason: string }

/** Decimal digits of a value up to 2^256. */
const Uint = Type.String({ pattern: '^[0-9]{1,78}$' })
const UintOrNumber = Type.Union([Uint, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })])
const EvmAddress = Type.String({ format: 'evm-address' })
/** Call data of at most 64 KiB, which is ten times the largest observed size. A byte has two hex digits. */
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
 * A quote with liquidity. Unused fields are not validated.
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

/** Parses 0x's response to a quote request. Validates the types of its fields, but not whether the offer is correct. */
export function readQuote(response: unknown): ReadQuote {
  if (!isLiquid(response)) return { ok: false, reason: 'has no liquidity' }
  const value: unknown = response
  if (!isQuote(value)) {
    const path = isQuote.errors?.[0]?.instancePath.slice(0, 100) ?? ''
    return { ok: false, reason: `returned ${path === '' ? 'a body' : path} that cannot be read` }
  }
  return { ok: true, offer: toOffer(value) }
}

/** Parses the chains that 0x supports; `null` if the response is invalid. */
export function readChains(response: unknown): readonly number[] | null {
  return areChains(response) ? response.chains.map(({ chainId }) => chainId) : null
}

function compile<Schema extends TSchema>(schema: Schema): ValidateFunction<Static<Schema>> {
  return ajv.compile<Static<Schema>>(schema)
}

function toOffer(quote: Static<typeof Quote>): SwapOffer {
  const { transaction, fees, permit2 } = quote
  return {
    sellToken: lower(quote.sellToken),
    buyToken: lower(quote.buyToken),
    buyAtomic: atomic(BigInt(quote.buyAmount)),
    maxSellAtomic: atomic(BigInt(quote.maxSellAmount)),
    serviceFee: toFee(fees.integratorFee),
    providerFee: toFee(fees.zeroExFee),
    transaction: {
      to: lower(transaction.to),
      data: transaction.data.toLowerCase() as Hex,
      valueWei: BigInt(transaction.value),
      gas: transaction.gas ? BigInt(transaction.gas) : null,
    },
    permit2: permit2 ? toPermit(permit2) : null,
  }
}

function toFee(fee: Static<typeof Fee>): SwapOffer['serviceFee'] {
  return fee === null ? null : { atomic: atomic(BigInt(fee.amount)), token: lower(fee.token) }
}

function toPermit({ hash, eip712 }: Static<typeof Permit2>): Permit2Offer {
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

/** Converts an address to lowercase. The schema has verified a mixed-case checksum. */
function lower(address: string): Address {
  return address.toLowerCase() as Address
}
