import { parseTargetAmount } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { parsePercent, SPLIT_FRACTION_DIGITS } from '../../shared/domain/percent.ts'
import type { FieldRules } from '../middleware/validate.ts'
import type { CreateChargeBody } from './schema.ts'

/** What the schema of a new charge cannot say of its fields. */
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
      reason: `is of the family ${families[other]}, and the first of ${families[0]}; they cannot mix`,
    }
  },

  metadata: ({ metadata }) => {
    const products = metadata?.service?.products ?? []
    const bad = products.findIndex(({ imageUrl }) => imageUrl !== undefined && !URL.canParse(imageUrl))
    return bad < 0 ? null : { param: `metadata.service.products[${bad}].imageUrl`, reason: 'is no URL' }
  },

  redirectUrl: ({ redirectUrl }) =>
    redirectUrl === undefined || isWebUrl(redirectUrl)
      ? null
      : { param: 'redirectUrl', reason: 'is no http or https URL' },

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
    const isEvm = acceptedPayments.every(({ network }) => REGISTRY[network].family === 'evm')
    return escrow === undefined || isEvm
      ? null
      : { param: 'escrow', reason: 'needs every accepted network to be an EVM network' }
  },
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
