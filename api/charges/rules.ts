import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { parseTargetAmount } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import { isPublicHost } from '../../shared/domain/public-host.ts'
import { parseWebUrl } from '../../shared/domain/web-url.ts'
import type { FieldRules } from '../http/middleware/validate.ts'
import type { JsonDocument } from '../http/parse-json.ts'
import type { CreateChargeBody } from './request-schema.ts'

/**
 * Maximum size of the metadata's source text without `service`. Limited because every response, stream and delivery of
 * the charge contains the text.
 */
const MAX_METADATA_BYTES = 16 * 1024

/** Rules of a new charge that its schema cannot express. */
export const createChargeRules: FieldRules<typeof CreateChargeBody> = {
  amount: (body, { sourceOf }) => {
    parseTargetAmount(sourceOf(body, 'amount') ?? '')
    return null
  },

  acceptedPayments: ({ acceptedPayments }) => {
    const families = acceptedPayments.map(({ network }) => REGISTRY[network].family)
    const other = families.findIndex((family) => family !== families[0])
    if (other < 0) return null
    const param = `acceptedPayments[${other}].network`
    return {
      param,
      reason: `is of the family ${families[other]}, but the first network is of ${families[0]}; all must be of one family`,
    }
  },

  metadata: (body, document) => {
    const { metadata } = body
    if (metadata === undefined) return null
    const bytes = countMetadataBytes({ body, metadata }, document)
    if (bytes > MAX_METADATA_BYTES)
      return {
        param: 'metadata',
        reason: `has ${bytes} bytes without \`service\`, above the maximum ${MAX_METADATA_BYTES}`,
      }
    const products = metadata.service?.products ?? []
    const bad = products.findIndex(({ imageUrl }) => imageUrl !== undefined && !isPublicUrl(imageUrl))
    const reason = 'is not an http or https URL of a public host without credentials'
    return bad < 0 ? null : { param: `metadata.service.products[${bad}].imageUrl`, reason }
  },

  redirectUrl: ({ redirectUrl }) =>
    redirectUrl === undefined || parseWebUrl(redirectUrl)
      ? null
      : { param: 'redirectUrl', reason: 'is not an http or https URL without credentials' },

  splitRecipients: ({ splitRecipients = [] }, { sourceOf }) => {
    const isExact = (entry: object): boolean =>
      parsePercent(sourceOf(entry, 'percent') ?? '', { maxFractionDigits: SPLIT_FRACTION_DIGITS }) !== null
    const bad = splitRecipients.findIndex((entry) => !isExact(entry))
    return bad < 0
      ? null
      : {
          param: `splitRecipients[${bad}].percent`,
          reason: `has more than ${SPLIT_FRACTION_DIGITS} fractional digits`,
        }
  },

  escrow: ({ escrow, acceptedPayments }) => {
    const canHold = acceptedPayments.every(
      ({ network }) => CHAIN_FAMILIES[REGISTRY[network].family].hasEscrow,
    )
    return escrow === undefined || canHold
      ? null
      : { param: 'escrow', reason: 'requires that every accepted network is an EVM network' }
  },
}

/** Returns the size of the metadata text without the value of `service`, which has its own limits. */
function countMetadataBytes(
  { body, metadata }: { readonly body: object; readonly metadata: object },
  { sourceOf }: JsonDocument,
): number {
  const bytes = Buffer.byteLength(sourceOf(body, 'metadata') ?? '')
  return bytes - Buffer.byteLength(sourceOf(metadata, 'service') ?? '')
}

/**
 * Returns whether a URL has a public host. A payer's browser would fetch the URL of a private host in the payer's own
 * network.
 */
function isPublicUrl(text: string): boolean {
  const url = parseWebUrl(text)
  return url !== null && isPublicHost(url.hostname)
}
