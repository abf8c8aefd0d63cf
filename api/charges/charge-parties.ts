import { type Address, type ChainFamilyName, parseEvmAddress } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, PRIMARY_FAMILY } from '../../shared/domain/chain-families/chain-families.ts'
import { AppError, invariant } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Environment } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { CreateChargeRequest } from './request-schema.ts'

/** The values of a new charge that are derived from its key, networks and escrow, before any check. */
export type ChargeParties = {
  /** The family of all accepted networks. `rules.ts` rejects networks of different families. */
  readonly family: ChainFamilyName
  /** The service's split factory for the family; `null` if none is configured. */
  readonly factory: Address | null
  /** The key's payout address in the family, for the merchant's share; `undefined` if the key has none. */
  readonly payoutAddress: Address | undefined
  /** The releaser of the requested escrow, by default the key's payout address; `null` without escrow. */
  readonly releaser: Address | null
}

/** The parties of a charge whose family has configured contracts and whose key has a payout address in that family. */
export type PayableParties = ChargeParties & { readonly factory: Address; readonly payoutAddress: Address }

/** Derives the parties of a new charge. */
export function deriveParties(
  { key, body }: CreateChargeRequest,
  { splitFactories }: Pick<ApiConfig, 'splitFactories'>,
): ChargeParties {
  const [first] = body.acceptedPayments
  invariant(first !== undefined, 'a charge without accepted pairs passed its schema')
  const { family } = REGISTRY[first.network]
  return {
    family,
    factory: splitFactories[key.environment][family],
    payoutAddress: key.payoutAddresses[family],
    // `rules.ts` allows escrow only on EVM networks, and every key has an EVM payout address.
    releaser: body.escrow ? getReleaser(body.escrow, key.payoutAddresses[PRIMARY_FAMILY]) : null,
  }
}

/**
 * Returns the parties if the key has a payout address in the charge's family and the family's networks can be accepted.
 *
 * @throws {AppError} `payout_address_missing`, `token_not_supported`
 */
export function requirePayable(
  { payoutAddress, factory, ...parties }: ChargeParties,
  environment: Environment,
): PayableParties {
  const { isPayable, payoutOption } = CHAIN_FAMILIES[parties.family]
  if (payoutAddress === undefined) {
    const message = `the API key has no payout address on ${parties.family}; use a key that was issued with --${payoutOption}`
    throw new AppError('payout_address_missing', message, { param: 'acceptedPayments' })
  }
  if (isPayable && factory !== null) return { ...parties, payoutAddress, factory }
  const reason =
    factory === null ? `in the ${environment} environment: no contracts are configured there` : 'yet'
  const message = `${parties.family} networks cannot be accepted ${reason}`
  throw new AppError('token_not_supported', message, { param: 'acceptedPayments[0]' })
}

function getReleaser(
  { releaserAddress }: NonNullable<CreateChargeRequest['body']['escrow']>,
  payoutAddress: Address,
): Address {
  if (releaserAddress === undefined) return payoutAddress
  const releaser = parseEvmAddress(releaserAddress)
  invariant(releaser !== null, `the releaser ${releaserAddress} passed its schema but is not an EVM address`)
  return releaser
}
