import { formatDecimal } from '../../../shared/domain/decimal.ts'
import { type Html, html } from '../../../shared/runtime/html.ts'
import { renderFrame } from '../frame.ts'
import { listClaimTexts } from '../list-script-texts.ts'
import type { ClaimPageData } from '../page-data.ts'
import type { Checkout } from '../project.ts'
import { renderFooter } from '../render-footer.ts'
import { renderLanguages, renderLogo, renderName } from '../render-summary.ts'
import type { ClaimAt } from './claim-at.ts'
import { renderForm } from './render-form.ts'
import { getProgressTitle, renderProgress } from './render-progress.ts'
import { renderReview } from './render-review.ts'

/** Reload interval after the address is sent, until the refund is final. */
const REFRESH_SECONDS = 20

const FINAL: ReadonlySet<string> = new Set(['confirmed', 'canceled', 'expired'])

/**
 * Renders the page on which the payer enters the address for a refund. The page works without a script, and never
 * requests money. While the payer compares the address, the script shows a button for each wallet that can sign the
 * claim. After the address is sent, the page reloads itself until the refund is final (`reload.ts`).
 */
export function renderClaim(at: ClaimAt): string {
  const { step, words, choice, refund } = at
  const checkout = raiseLogo(at.checkout)
  const isWaiting = step.name === 'follow' && !FINAL.has(refund.status)
  const reloadSeconds = isWaiting ? REFRESH_SECONDS : null
  const data = buildData(at)
  return renderFrame({
    ...{ words, data, script: data === null && !isWaiting ? null : at.script, brand: checkout.brand },
    title: step.name === 'follow' ? getProgressTitle(at) : words.plain('claim.title'),
    header: renderHeader(at, checkout),
    main: renderStep(at),
    footer: renderFooter(checkout, { ...at, reloadSeconds, hasContact: false }),
    refreshSeconds: choice.isLive ? reloadSeconds : null,
  })
}

function renderStep(at: ClaimAt): Html {
  const { step } = at
  switch (step.name) {
    case 'ask':
      return renderForm(at, step)
    case 'review':
      return renderReview(at, step)
    case 'follow':
      return renderProgress(at)
  }
}

function renderHeader(at: ClaimAt, checkout: Checkout): Html {
  const { words, refund } = at
  const { environment, isSimulated } = checkout
  const amount = formatDecimal(refund.amountAtomic, refund.decimals)
  const test = isSimulated ? 'test.simulated' : 'test.real'
  return html`${environment === 'test' ? html`<p class="test"><span>${words.say(test)}</span></p>` : null}
<div class="top"><div class="payee">${renderLogo(checkout)}<span><small>${words.say('claim.from')}</small><b>${renderName(checkout, words)}</b></span></div>${renderLanguages(at)}</div>
<div class="amount"><p class="figure${amount.length > 9 ? ' long' : ''}"><b>${words.number(amount)}</b> ${words.pair(refund, environment)}</p></div>`
}

/** Adapts the logo's path, which is relative to the page of the charge. This page is two levels below. */
function raiseLogo(checkout: Checkout): Checkout {
  const { brand } = checkout
  return brand?.logo ? { ...checkout, brand: { ...brand, logo: `../../${brand.logo}` } } : checkout
}

function buildData({ step, words, refund }: ClaimAt): string | null {
  if (step.name !== 'review' || step.typedData === null) return null
  const { language } = words
  const { family } = refund
  const { typedData } = step
  const data: ClaimPageData = { language, family, texts: listClaimTexts(language), typedData }
  return JSON.stringify(data)
}
