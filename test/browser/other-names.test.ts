/** The page under a name that no browser trusts: over plain HTTP, as in an office’s network. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { inBrowser, launchChromium } from './harness/chromium.ts';
import { type Office, openOffice } from './harness/office.ts';

const NAME = 'botbell.test';

inBrowser('A page over plain HTTP', () => {
  let browser: Browser;
  let office: Office;

  before(async () => {
    browser = await launchChromium([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`]);
    office = await openOffice({ isEmpty: true, admin: `hosts: [${NAME}]` });
  });

  after(async () => {
    await browser.close();
    await office.close();
  });

  it('has its own forms taken, though the browser says no more than their Origin', async () => {
    const context = await browser.newContext({ locale: 'en', javaScriptEnabled: false });
    const page = await context.newPage();
    const posted = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.goto(`${office.url.replace('127.0.0.1', NAME)}/config`);
    await page.locator('main form button').first().click();
    const response = await posted;
    const headers = await response.request().allHeaders();
    expect([response.status(), headers['sec-fetch-site']]).to.deep.equal([303, undefined]);
    await context.close();
  });
});
