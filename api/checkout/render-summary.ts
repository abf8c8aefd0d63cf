import { type Html, html } from '../../shared/runtime/html.ts'
import { type Icon, renderIcon } from './icons.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { nameOf } from './payee.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderProductDetails, renderProductList } from './render-products.ts'
import { capitalize, type Translator } from './translate.ts'

export type SummaryAt = {
  readonly choice: Choice
  readonly words: Translator
  readonly now: Date
  /** Whether the page requests the amount, which then is the main heading. */
  readonly isSubject: boolean
}

/** Renders who is paid, how much, until when, and for what. */
export function renderSummary(checkout: Checkout, at: SummaryAt): Html {
  const { words } = at
  const { environment, isSimulated } = checkout
  const test = isSimulated ? 'test.simulated' : 'test.real'
  return html`${environment === 'test' ? html`<p class="test"><span>${words.say(test)}</span></p>` : null}
<div class="top"><div class="payee">${renderLogo(checkout)}<span><small>${words.say('payee.label')}</small><b>${renderName(checkout, words)}</b></span></div>${renderLanguages(at)}</div>
<div class="amount">${renderAmount(checkout, at)}${renderPill(checkout, at)}</div>
${renderProductDetails(checkout, words)}${renderProductList(checkout, words)}`
}

/** Renders the name of the payee. A generic name begins with a capital letter, because no other word precedes it. */
export function renderName(checkout: Pick<Checkout, 'payee'>, words: Translator): Html | string {
  const name = nameOf(checkout, words)
  return typeof name === 'string' ? capitalize(name) : name
}

/** Renders the logo of the brand. `alt` is empty because a screen reader already reads the name. */
export function renderLogo({ brand }: Pick<Checkout, 'brand'>): Html | null {
  return brand?.logo ? html`<img src="${brand.logo}" alt="">` : null
}

/** Renders the language menu. */
export function renderLanguages({ choice, words }: Pick<SummaryAt, 'choice' | 'words'>): Html {
  const entries = Object.entries(LANGUAGES).map(([code, name]) => {
    const language = code as Language
    const isCurrent = language === words.language
    return html`<li><a href="${choiceLink({ ...choice, language })}" lang="${code}"${isCurrent ? html` aria-current="true"` : null}>${name}</a></li>`
  })
  const label = `${words.plain('footer.language')}: ${LANGUAGES[words.language]}`
  return html`<details class="languages" id="languages"><summary aria-label="${label}">${renderIcon('globe')}</summary><ul>${entries}</ul></details>`
}

/**
 * Renders the amount. While the page requests the rest of a partly received or seen amount, renders only the amount
 * due. The script shows the whole amount instead while a payment that was sent from the page is pending.
 */
function renderAmount(checkout: Checkout, { words, isSubject }: SummaryAt): Html {
  const { amount, currency, amountReceived, seen, remainingAfterSeen } = checkout
  const figure = (exact: string) => html`<b>${words.number(exact)}</b> ${currency}`
  const size = amount.length > 9 ? ' long' : ''
  if (!isSubject) return html`<p class="figure${size}">${figure(amount)}</p>`
  if (amountReceived === null && seen === null) return html`<h1 class="figure${size}">${figure(amount)}</h1>`
  const left = words.say('title.rest', { amount: figure(remainingAfterSeen ?? '0') })
  return html`<h1 class="figure${size}"><span id="rest">${left}</span><span id="whole" hidden>${figure(amount)}</span></h1>`
}

function renderPill(checkout: Checkout, { words, now }: SummaryAt): Html {
  const { screen, expiresAt } = checkout
  const time = words.clock(expiresAt, now)
  switch (screen) {
    case 'pay':
      return html`<p class="pill" data-deadline>${renderIcon('clock')}<span>${words.say('pay.by', { time })}</span></p>`
    case 'signed':
    case 'seen':
      return pill('busy', 'clock', words.say('status.confirming'))
    case 'paid':
      return pill('good', 'check', words.say('status.paid'))
    case 'unavailable':
      return pill('warn', 'pause', words.say('status.paused'))
    case 'deciding':
    case 'expired':
      return html`<p class="pill">${renderIcon('clock')}<span>${words.say('pay.ended', { time })}</span></p>`
    case 'underpaid':
    case 'late':
      return pill('warn', 'clock', words.say('pay.ended', { time }))
  }
}

function pill(tone: string, icon: Icon, text: Html): Html {
  return html`<p class="pill ${tone}">${renderIcon(icon)}<span>${text}</span></p>`
}
