import { encodeFunctionData, type Hex } from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import { safeAbi } from '../../../shared/chain/abi/safe.ts'
import { queryBalance } from '../../../shared/chain/tokens/read-balances.ts'
import { type NumberQuery, queryCoin, readNumbers } from '../../../shared/chain/tokens/read-numbers.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import type { ExitChain } from './exit-chain.ts'
import type { ExitCharge } from './exit-charge.ts'
import type { KnownToken } from './known-chains.ts'

/** The money of one charge in one token on one chain. Amounts are in atomic units. */
export type Holding = {
  readonly charge: ExitCharge
  readonly token: KnownToken
  /** The amount that a distribution would pay out. */
  readonly distributable: bigint
  /** Shares that the split holds for recipients whose payout failed. */
  readonly held: readonly { readonly recipient: Address; readonly amount: bigint }[]
  /** The amount in the escrow's Safe, which only the releaser can move; 0 without escrow. */
  readonly inEscrow: bigint
  /** Number of transactions that the Safe has executed; `null` if the Safe does not exist. */
  readonly safeNonce: bigint | null
}

export type Deployment = { readonly charge: ExitCharge; readonly isDeployed: boolean }

export type ChainSurvey = {
  readonly chain: ExitChain
  /** Only pairs of a charge and a token that have money. */
  readonly holdings: readonly Holding[]
  readonly deployments: readonly Deployment[]
  /** One sentence per token that did not return all balances, so the charges might have more of it. */
  readonly problems: readonly string[]
}

type Place = { readonly charge: ExitCharge; readonly token: KnownToken }

/**
 * Reads the balances of the charges at the newest block, in each token. Ignores charges of other chain families.
 *
 * @throws {BaseError} from viem if no node responds
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
  const unread = places.filter((place, index) => balances[index] === null || escrowed.get(place) === null)
  const amounts = places.map((place, index) => ({
    ...place,
    balance: balances[index] ?? 0n,
    reserved: reserved[index] ?? 0n,
    inEscrow: escrowed.get(place) ?? 0n,
    safeNonce: nonces.get(place.charge) ?? null,
  }))
  const held = await readHeld(chain, amounts)
  const seen = new Set<string>()
  // Several charges can share a split, such as one with and one without an escrow. Count the split's money once.
  const isFirst = ({ charge, token }: Place) => {
    const key = `${charge.splitAddress} ${token.address}`
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  }
  const deployed = new Set(places.filter((_, index) => reserved[index] !== null).map(({ charge }) => charge))
  return {
    chain,
    problems: [...new Set(unread.map(({ token }) => `${token.symbol} did not return a balance`))],
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

function readBalances(
  { client }: ExitChain,
  places: readonly Place[],
  holderOf: (charge: ExitCharge) => Address,
): Promise<readonly (bigint | null)[]> {
  return readNumbers(
    client,
    places.map(({ charge, token }) => queryTokenOrCoin(token, holderOf(charge))),
  )
}

function queryTokenOrCoin({ address: tokenAddress }: KnownToken, account: Address): NumberQuery {
  return tokenAddress === NATIVE_COIN ? queryCoin(account) : queryBalance({ tokenAddress, account })
}

function queryTotalHeld({ charge, token }: Place): NumberQuery {
  const data = encodeFunctionData({ abi: paymentSplitAbi, functionName: 'totalHeld', args: [token.address] })
  return { to: charge.splitAddress, data }
}

async function readEscrows(
  chain: ExitChain,
  places: readonly Place[],
): Promise<ReadonlyMap<Place, bigint | null>> {
  const escrows = places.filter(({ charge }) => charge.releaser !== null)
  const balances = await readBalances(chain, escrows, ({ address }) => address)
  return new Map(escrows.map((place, index) => [place, balances[index] ?? null]))
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
