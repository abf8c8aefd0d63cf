import { Type } from '@sinclair/typebox'
import {
  NetworkName,
  oneOf,
  Paging,
  PresentedAddress,
  pageOf,
  strictObject,
  Timestamp,
  TokenName,
} from '../schema.ts'

const Percentage = Type.Number({ minimum: 0, maximum: 100, description: '1.5 is 1.5 %.' })

/** What can be distributed by anyone; from `chainId` on our additions, without which only we could deploy a split. */
export const PendingDistribution = strictObject(
  {
    splitAddress: PresentedAddress,
    network: NetworkName,
    token: TokenName,
    recipients: Type.Array(strictObject({ address: PresentedAddress, percentAllocation: Percentage })),
    distributorFeePercent: Percentage,
    estimatedRewardAmount: Type.Number({
      minimum: 0,
      description: 'Dollars, from what was credited; not a live balance.',
    }),
    availableSince: Timestamp,
    graceEndsAt: Timestamp,
    chainId: Type.Integer({ minimum: 1 }),
    tokenAddress: PresentedAddress,
    factoryAddress: PresentedAddress,
    salt: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
    deployed: Type.Boolean(),
    call: strictObject(
      {
        to: PresentedAddress,
        data: Type.String({ pattern: '^0x([0-9a-f]{2})+$' }),
        distributorOffset: Type.Integer({
          minimum: 0,
          description:
            "At this byte of `data` belong the 20 bytes of the caller's address, on TRON without its first one.",
        }),
        feeLimit: Type.Optional(
          Type.String({
            pattern: '^[1-9][0-9]{0,10}$',
            description: 'On TRON only: sun that the energy may cost at most; what runs is paid.',
          }),
        ),
      },
      { description: 'The whole transaction but for who distributes.' },
    ),
  },
  { title: 'PendingDistribution', description: 'What anyone may distribute now, for its incentive.' },
)

/** One page of `GET /v1/distributions/pending`. */
export const DistributionPage = pageOf(PendingDistribution)

/** What the stream says: an idempotent addition to, or removal from, what is known by split, network and token. */
export const DistributionChange = Type.Union(
  [
    strictObject({ type: oneOf(['distribution.available']), distribution: PendingDistribution }),
    strictObject({
      type: oneOf(['distribution.claimed']),
      splitAddress: PresentedAddress,
      network: NetworkName,
      token: TokenName,
    }),
  ],
  { title: 'DistributionChange' },
)

/** The query of the list. */
export const ListDistributionsQuery = strictObject({ ...Paging })

/** The query of the stream; `limit` is how many claimable distributions come first (decisions 6.9). */
export const FollowDistributionsQuery = strictObject({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'How many of those there are come first.',
    }),
  ),
})
