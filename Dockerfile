# Docent in one image: the service, its command line and the widget.
#   docker build -t docent .
#   docker run -p 4320:4320 -v ./docent.config.json:/docent/docent.config.json -v ./docs:/docent/docs -v docent-data:/docent/.docent docent
FROM node:24-alpine AS build
WORKDIR /source
RUN npm install --global pnpm@12
COPY . .
RUN pnpm install --frozen-lockfile && pnpm build

# Node alone, without npm: half of the usual image.
FROM alpine:3
# git reads repositories of documentation; nothing is ever checked out of them.
RUN apk add --no-cache git libstdc++ && adduser -D -h /docent docent
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /source/server/dist /opt/docent
RUN ln -s /opt/docent/docent.cjs /usr/local/bin/docent
USER docent
WORKDIR /docent
ENV NODE_ENV=production
EXPOSE 4320
HEALTHCHECK --interval=30s --timeout=3s CMD wget -q -O /dev/null http://127.0.0.1:4320/readyz
ENTRYPOINT ["docent"]
CMD ["serve"]
