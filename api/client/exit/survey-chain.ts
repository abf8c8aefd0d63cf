import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { safeAbi } from '../../../shared/chain/abi/safe.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import type { ExitChain } from './exit-chain.ts'
import type { ExitCharge } from './exit-charge.ts'
import type { KnownToken } from './known-chains.ts'
import { type NumberQuery, queryCoin, readNumbers } from './read-numbers.ts'

/** The money of one charge in one token on one chain, in atomic units. */
export type Holding = {
  readonly charge: ExitCharge
  readonly token: KnownToken
  /** The amount that a distribution would pay to the recipients. */
  readonly distributable: bigint
  /** Amounts that the split holds for recipients whose payout failed. */
  readonly held: readonly { readonly recipient: Address; readonly amount: bigint }[]
  /** The amount in the escrow's Safe, which only its releaser can move. */
  readonly inEscrow: bigint
  /** Number of transactions that the Safe has executed; `null` if it does not exist yet. */
  readonly safeNonce: bigint | null
}

/** A charge on a chain, without a token. */
export type Deployment = { readonly charge: ExitCharge; readonly isDeployed: boolean }

/** The money of the charges on a chain. */
export type ChainSurvey = {
  readonly chain: ExitChain
  /** Only tokens and charges with money. */
  readonly holdings: readonly Holding[]
  readonly deployments: readonly Deployment[]
}

type Place = { readonly charge: ExitCharge; readonly token: KnownToken }

/**
 * Reads the balances of each charge of the chain's family at the newest block, in each known token.
 *
 * @throws {BaseError} viem's, if no node responds; {Error} if a token does not return a balance
 */
export async function surveyChain(chain: ExitChain, charges: readonly ExitCharge[]): Promise<ChainSurvey> {
  const ofFamily = charges.filter(({ family }) => family === chain.family)
  const tokens = [...chain.tokens, ...(chain.hasCoin ? [chain.coin] : [])]
  const places = ofFamily.flatMap((charge) => tokens.map((token) => ({ charge, token })))
  const [balances, reserved, escrowed, nonces] = await Promise.all([
    readBalances(chain, places, ({ splitAddress }) => splitAddress),
    readNumbers(chain.client, places.map(queryTotalHeld)),
    readEscrows(chain, places),
    readNonces(chain, ofFamily),
  ])
  const amounts = places.map((place, index) => ({
    ...place,
    balance: balances[index] ?? 0n,
    reserved: reserved[index] ?? 0n,
    inEscrow: escrowed.get(place) ?? 0n,
    safeNonce: nonces.get(place.charge) ?? null,
  }))
  const held = await readHeld(chain, amounts)
  const seen = new Set<string>()
  // Several records may share a split, such as one with and one without an escrow. It is paid out once.
  const isFirst = ({ charge, token }: Place) => {
    const key = `${charge.splitAddress} ${token.address}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  }
  const deployed = new Set(places.filter((_, index) => reserved[index] !== null).map(({ charge }) => charge))
  return {
    chain,
    deployments: ofFamily.map((charge) => ({ charge, isDeployed: deployed.has(charge) })),
    holdings: amounts
      .map(({ balance, reserved, ...place }) => ({
        ...place,
        ...(isFirst(place)
          ? {
              distributable: balance > reserved ? balance - reserved : 0n,
              held: held.get(place.charge)?.get(place.token) ?? [],
            }
          : { distributable: 0n, held: [] }),
      }))
      .filter(({ distributable, held, inEscrow }) => distributable + inEscrow > 0n || held.length > 0),
  }
}

async function readBalances(
  { client, name }: ExitChain,
  places: readonly Place[],
  holderOf: (charge: ExitCharge) => Address,
): Promise<readonly bigint[]> {
  const balances = await readNumbers(
    client,
    places.map(({ charge, token }) => queryBalance(token, holderOf(charge))),
  )
  return balances.map((balance, index) => {
    if (balance !== null) return balance
    throw new Error(`${places[index]?.token.symbol} on ${name} did not return a balance`)
  })
}

function queryBalance(token: KnownToken, account: Address): NumberQuery {
  if (token.address === NATIVE_COIN) return queryCoin(account)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
  return { to: token.address, data }
}

function queryTotalHeld({ charge, token }: Place): NumberQuery {
  const data = encodeFunctionData({ abi: paymentSplitAbi, functionName: 'totalHeld', args: [token.address] })
  return { to: charge.splitAddress, data }
}

async function readEscrows(chain: ExitChain, places: readonly Place[]): Promise<ReadonlyMap<Place, bigint>> {
  const escrows = places.filter(({ charge }) => charge.releaser !== null)
  const balances = await readBalances(chain, escrows, ({ address }) => address)
  return new Map(escrows.map((place, index) => [place, balances[index] ?? 0n]))
}

const NONCE: Hex = encodeFunctionData({ abi: safeAbi, functionName: 'nonce' })

async function readNonces({ client }: ExitChain, charges: readonly ExitCharge[]) {
  const escrows = charges.filter(({ releaser }) => releaser !== null)
  const nonces = await readNumbers(
    client,
    escrows.map(({ address }) => ({ to: address, data: NONCE })),
  )
  return new Map(escrows.map((charge, index) => [charge, nonces[index] ?? null]))
}

type HeldShare = Holding['held'][number]

async function readHeld({ client }: ExitChain, places: readonly (Place & { readonly reserved: bigint })[]) {
  const shares = places
    .filter(({ reserved }) => reserved > 0n)
    .flatMap(({ charge, token }) =>
      [...new Set(charge.split.recipients)].map((recipient) => ({ charge, token, recipient })),
    )
  const amounts = await readNumbers(
    client,
    shares.map(({ charge, token, recipient }) => ({
      to: charge.splitAddress,
      data: encodeFunctionData({
        ...{ abi: paymentSplitAbi, functionName: 'held', args: [token.address, recipient] },
      }),
    })),
  )
  const held = new Map<ExitCharge, Map<KnownToken, HeldShare[]>>()
  shares.forEach(({ charge, token, recipient }, index) => {
    const amount = amounts[index] ?? 0n
    if (amount === 0n) return
    const ofCharge = held.get(charge) ?? new Map<KnownToken, HeldShare[]>()
    ofCharge.set(token, [...(ofCharge.get(token) ?? []), { recipient, amount }])
    held.set(charge, ofCharge)
  })
  return held
}
