import { Type } from '@sinclair/typebox'
import {
  NetworkName,
  Paging,
  PresentedAddress,
  pageOf,
  strictObject,
  Timestamp,
  TokenName,
} from '../schema.ts'

const Percentage = Type.Number({ minimum: 0, maximum: 100 })

/** What can be distributed by anyone; from `chainId` on our additions, without which only we could deploy a split. */
export const PendingDistribution = strictObject({
  splitAddress: PresentedAddress,
  network: NetworkName,
  token: TokenName,
  recipients: Type.Array(strictObject({ address: PresentedAddress, percentAllocation: Percentage })),
  distributorFeePercent: Percentage,
  estimatedRewardAmount: Type.Number({ minimum: 0 }),
  availableSince: Timestamp,
  graceEndsAt: Timestamp,
  chainId: Type.Integer({ minimum: 1 }),
  tokenAddress: PresentedAddress,
  factoryAddress: PresentedAddress,
  salt: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  deployed: Type.Boolean(),
  call: strictObject({
    to: PresentedAddress,
    data: Type.String({ pattern: '^0x([0-9a-f]{2})+$' }),
    distributorOffset: Type.Integer({ minimum: 0 }),
  }),
})

/** One page of `GET /v1/distributions/pending`. */
export const DistributionPage = pageOf(PendingDistribution)

/** The query of the list. */
export const ListDistributionsQuery = strictObject({ ...Paging })

/** The query of the stream; `limit` is how many claimable distributions come first (decisions 6.9). */
export const FollowDistributionsQuery = strictObject({
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 0 })),
})
