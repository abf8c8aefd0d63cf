import { Type } from '@sinclair/typebox'
import {
  Bytes32,
  buildPageSchema,
  NetworkName,
  Paging,
  PresentedAddress,
  strictObject,
  stringEnum,
  Timestamp,
  TokenName,
} from '../http/schema.ts'

const Percentage = Type.Number({ minimum: 0, maximum: 100, description: '1.5 is 1.5 %.' })

/** A distribution that anyone may execute. The specification lacks the fields from `chainId` on, which keepers need. */
export const PendingDistribution = strictObject(
  {
    splitAddress: PresentedAddress,
    network: NetworkName,
    token: TokenName,
    recipients: Type.Array(strictObject({ address: PresentedAddress, percentAllocation: Percentage })),
    distributorFeePercent: Percentage,
    estimatedRewardAmount: Type.Number({
      minimum: 0,
      description: 'Estimate in dollars from the credited amounts, not from a live balance.',
    }),
    availableSince: Timestamp,
    graceEndsAt: Timestamp,
    chainId: Type.Integer({ minimum: 1 }),
    tokenAddress: PresentedAddress,
    factoryAddress: PresentedAddress,
    salt: Bytes32,
    deployed: Type.Boolean(),
    call: strictObject(
      {
        to: PresentedAddress,
        data: Type.String({ pattern: '^0x([0-9a-f]{2})+$' }),
        distributorOffset: Type.Integer({
          minimum: 0,
          description:
            "Position of the distributor's address in `data`, in bytes: write the 20 bytes of your address there. On TRON omit the first byte of the address.",
        }),
        feeLimit: Type.Optional(
          Type.String({
            pattern: '^[1-9][0-9]{0,10}$',
            description:
              'Only on TRON: maximum cost of the energy in sun. The used energy is paid in any case.',
          }),
        ),
      },
      { description: "The complete transaction except for the distributor's address." },
    ),
  },
  {
    title: 'PendingDistribution',
    description: 'A distribution that anyone may execute now, for its incentive.',
  },
)

/** One page of `GET /v1/distributions/pending`. */
export const DistributionPage = buildPageSchema(PendingDistribution)

/** An event of the stream: adds or removes the distribution of a split, network and token. Idempotent. */
export const DistributionChange = Type.Union(
  [
    strictObject({ type: stringEnum(['distribution.available']), distribution: PendingDistribution }),
    strictObject({
      type: stringEnum(['distribution.claimed']),
      splitAddress: PresentedAddress,
      network: NetworkName,
      token: TokenName,
    }),
  ],
  { title: 'DistributionChange' },
)

/** The query of the list. */
export const ListDistributionsQuery = strictObject({ ...Paging })

/** The query of the stream. `limit` is the maximum number of claimable distributions sent first (decisions 6.9). */
export const FollowDistributionsQuery = strictObject({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'Maximum existing distributions to send first.',
    }),
  ),
})
