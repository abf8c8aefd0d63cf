import { type Html, html } from '../../shared/runtime/html.ts'
import type { Phrase } from './languages.ts'
import { type Choice, choiceLink } from './payment-choice.ts'
import type { Checkout } from './project.ts'
import { renderSupportLink } from './render-support.ts'
import type { Translator } from './translate.ts'

export type FooterAt = {
  readonly words: Translator
  readonly now: Date
  readonly choice: Choice
  /** Reload interval in seconds; `null` if the content of the page cannot change. */
  readonly reloadSeconds: number | null
  /** Whether the page already has a button to contact the merchant. */
  readonly hasContact: boolean
}

/** Renders the contact link, the time of rendering, the links for reloading, and the charge's id. */
export function renderFooter(checkout: Checkout, at: FooterAt): Html {
  const { words, choice, reloadSeconds, now } = at
  const other = choiceLink({ ...choice, isLive: !choice.isLive })
  const switching: Phrase = choice.isLive ? 'footer.stop' : 'footer.start'
  const reloads = reloadSeconds !== null && choice.isLive
  return html`${at.hasContact ? null : renderQuestion(checkout, words)}
<p class="links"><span>${words.say('footer.asOf', { time: words.clock(now.toISOString(), now) })}</span><a href="${choiceLink(choice)}">${words.say('footer.look')}</a>
${reloads ? html`<span class="unscripted">${words.say('footer.reloads', { seconds: reloadSeconds })}</span>` : null}
${reloadSeconds === null ? null : html`<a class="unscripted" href="${other}">${words.say(switching)}</a>`}</p>
<p>${words.say('footer.reference', { id: html`<code data-copy>${checkout.id}</code>` })}</p>`
}

function renderQuestion(checkout: Checkout, words: Translator): Html | null {
  const link = renderSupportLink(checkout, words, { phrase: 'support.contact', className: '' })
  return link && html`<p><span>${words.say('support.question')}</span>${link}</p>`
}
