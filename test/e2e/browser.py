"""A real browser, headless, for the pages that the program writes."""
import base64
import os
import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


def start():
    """Chromium by its own driver; skips the test where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium with chromedriver here: config/packages.sh browser")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--no-first-run"]
    if os.geteuid() == 0:  # its sandbox wants another user
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return Browser(webdriver.Chrome(options=options, service=Service(driver)))


class Browser:
    def __init__(self, driver):
        self.driver = driver
        self.script = driver.execute_script

    def close(self):
        self.driver.quit()

    def show(self, path, width=1200, dark=False, media=""):
        """Load a page into a window of that width."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.get(path.as_uri())

    def complaints(self):
        """What stands in the console since the last call."""
        return self.driver.get_log("browser")

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def text(self, selector):
        """The text of the one element, as it is in the page."""
        return self.script(
            "const all = document.querySelectorAll(arguments[0]);"
            "if (all.length != 1) throw new Error(all.length + ' elements');"
            "return all[0].textContent", selector)

    def contrast(self, selector):
        """The least contrast of texts with what is behind them (WCAG 2.2)."""
        return min(self.script(CONTRAST, selector))

    def painted(self, png, colors):
        """How many pixels of a picture have each colour; leaves the page."""
        self.driver.get("about:blank")
        return self.driver.execute_async_script(
            PAINTED, base64.b64encode(png).decode(), colors)


PAINTED = r"""
const [png, colors, done] = arguments;
const image = new Image();
image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const data = context.getImageData(0, 0, image.width, image.height).data;
    const found = {};
    for (const name in colors) {
        const wanted = colors[name].match(/[0-9]+/g).map(Number);
        found[name] = 0;
        for (let i = 0; i < data.length; i += 4)
            found[name] += [0, 1, 2].every(k => Math.abs(data[i + k] - wanted[k]) < 24);
    }
    done(found);
};
image.src = 'data:image/png;base64,' + png;
"""

CONTRAST = r"""
const numbers = color => {
    const canvas = document.createElement('canvas').getContext('2d');
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = color => {
    const [r, g, b] = numbers(color).slice(0, 3).map(part => {
        part /= 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = element => {
    for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor;
        if (numbers(color)[3] == 255)
            return color;
    }
    return 'white';
};
return [...document.querySelectorAll(arguments[0])].map(element => {
    const style = getComputedStyle(element);
    const text = element.closest('svg') ? style.fill : style.color;
    const [a, b] = [light(text), light(behind(element))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
});
"""
